/** @module The instructions of the Dockerfile. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './programs.ts'

interface Instruction {
  readonly name: string
  readonly text: string
}

/** Instructions of each stage, of which each begins with FROM. */
export function readDockerfile(): Instruction[][] {
  const text = readFileSync(join(root, 'Dockerfile'), 'utf8')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n/g, ' ')
  const instructions = text
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [, name = '', rest = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? []
      return { name, text: rest }
    })
  const starts = instructions.flatMap(({ name }, index) => (name === 'FROM' ? [index] : []))
  return starts.map((start, stage) => instructions.slice(start, starts[stage + 1]))
}

export const toVariables = (lines: readonly string[]): Record<string, string> =>
  Object.fromEntries(lines.flatMap((line) => line.split(/\s+/)).map((pair) => pair.split('=')))

/** What the image says of its programs. */
export interface ImageConfig {
  readonly env: Readonly<Record<string, string>>
  readonly command: readonly string[]
  readonly healthcheck: readonly string[]
  readonly user: string
  readonly workdir: string
}

export function readImageConfig(): ImageConfig {
  const stage = readDockerfile().at(-1) ?? []
  const all = (name: string) => stage.filter((instruction) => instruction.name === name).map(({ text }) => text)
  const last = (name: string) => all(name).at(-1) ?? ''
  return {
    env: toVariables(all('ENV')),
    command: JSON.parse(last('CMD')),
    healthcheck: JSON.parse(/CMD\s+(\[.*)$/.exec(last('HEALTHCHECK'))?.[1] ?? '[]'),
    user: last('USER'),
    workdir: last('WORKDIR'),
  }
}
