/** @module Examples of a page: its console blocks, in which a line that begins with `$ ` is a command, and those below are its output. */

import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { ensureInstalled } from './ensure-installed.ts'

interface Example {
  readonly command: string
  readonly output: readonly string[]
}

export function pageExamples(page: URL): Example[] {
  const blocks = [...readFileSync(page, 'utf8').matchAll(/^```console\n\$ (.*?)\n```$/gms)]
  return blocks.flatMap(([, block = '']) =>
    block.split(/^\$ /m).map((example) => {
      const [command = '', ...output] = example.trimEnd().split('\n')
      return { command, output }
    }),
  )
}

/** The example as a shell runs it, its output as on the page if it is like it. */
export async function runExample(example: Example, environment: Readonly<Record<string, string>>): Promise<Example> {
  ensureInstalled('jq')
  const options = { env: { ...process.env, ...environment } }
  const { stdout } = await promisify(execFile)('sh', ['-c', example.command], options)
  const printed = stdout.trimEnd().split('\n')
  return { ...example, output: printed.map((line, index) => asExpected(line, example.output[index])) }
}

/** Two loads of the demo differ in times, and by up to a third, or 10, in numbers; estimates, in which reports weigh more, by half. */
function asExpected(printed: string, expected = ''): string {
  const [actual, model] = [parse(printed), parse(expected)]
  const merged = alike(actual, model)
  return JSON.stringify(merged) === JSON.stringify(model) ? expected : printed
}

const parse = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return line
  }
}

const isTime = (value: unknown) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)

/** The expected value where the actual one is like it. */
function alike(actual: unknown, expected: unknown, share = 1 / 3): unknown {
  if (typeof actual === 'number' && typeof expected === 'number') {
    return Math.abs(actual - expected) <= Math.max(10, expected * share) ? expected : actual
  }
  if (isTime(actual) && isTime(expected)) return expected
  if (Array.isArray(actual) && Array.isArray(expected))
    return actual.map((one, index) => alike(one, expected[index], share))
  if (!isObject(actual) || !isObject(expected)) return actual
  return Object.fromEntries(
    Object.entries(actual).map(([name, one]) => [
      name,
      alike(one, expected[name], name.startsWith('estimated') ? 1 / 2 : share),
    ]),
  )
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
