/**
 * @module The image's files in an empty folder, made by the lines of the Dockerfile, and programs in it as a container runs
 * them: at the image's paths, by mounts of their own, and as the image's user. It needs Linux and root, no container engine.
 */

import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type ImageConfig, readDockerfile, readImageConfig, toVariables } from './dockerfile.ts'
import { root } from './programs.ts'

/** The last pattern that matches a path or a folder above it decides. */
function isIgnored(path: string, patterns: readonly string[]): boolean {
  const toRegExp = (pattern: string) =>
    new RegExp(
      `^${pattern
        .replaceAll('.', '\\.')
        .replaceAll('**', '.{0,}')
        .replaceAll(/(?<!\})\*/g, '[^/]*')}(/|$)`,
    )
  const matching = patterns.filter((pattern) => toRegExp(pattern.replace(/^!/, '')).test(path))
  return matching.at(-1)?.startsWith('!') === false
}

function copyFromContext(source: string, target: string): void {
  const patterns = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n').filter(Boolean)
  if (isIgnored(source, patterns)) throw new Error(`.dockerignore leaves out ${source}`)
  const filter = (path: string) => !isIgnored(path.slice(root.length), patterns)
  cpSync(join(root, source), target, { recursive: true, filter })
}

/** Links instead of an install: what `npm ci --omit=dev` takes by the lock file in the working directory. */
const npm = `#!/usr/bin/env node
const { execFileSync } = require('node:child_process')
const { existsSync, mkdirSync, readFileSync, realpathSync } = require('node:fs')
const { dirname, join } = require('node:path')
if (process.argv.slice(2).join(' ') !== 'ci --omit=dev') throw new Error('npm ' + process.argv.slice(2).join(' '))
const installed = realpathSync(process.env.INSTALLED)
for (const [path, { dev, optional }] of Object.entries(JSON.parse(readFileSync('package-lock.json')).packages)) {
  const from = join(installed, path.slice('node_modules/'.length))
  if (path === '' || dev || path.lastIndexOf('node_modules/') > 0) continue
  if (!existsSync(from)) {
    if (optional) continue
    throw new Error(path + ' is not installed')
  }
  // By its own path: a file has no links across mounts.
  const to = join(process.env.TREE, path)
  mkdirSync(dirname(to), { recursive: true })
  execFileSync('cp', ['-a', ...(process.env.LINKS ? ['--link'] : []), from, to])
}
`

export const canContain =
  process.platform === 'linux' && process.getuid?.() === 0 && spawnSync('unshare', ['--mount', 'true']).status === 0

export interface ContainerOptions {
  readonly env: Readonly<Record<string, string>>
  /** A user's name or id; root without one. */
  readonly user?: string
  readonly readOnly?: boolean
  /** Folders by the path at which they are mounted. */
  readonly volumes?: Readonly<Record<string, string>>
  /** Paths with an empty folder each, which ends with the program. */
  readonly emptyDirs?: readonly string[]
}

export interface Image extends ImageConfig {
  /** Starts a program; its process is the program itself. */
  start(command: readonly string[], options: ContainerOptions): ChildProcess
}

/** @param folder empty; root and users of other ids must reach it. */
export function makeImage(folder: string): Image {
  const etc = join(folder, 'etc')
  mkdirSync(etc)
  // Those of the base image.
  writeFileSync(join(etc, 'passwd'), 'root:x:0:0::/root:/bin/sh\nnode:x:1000:1000::/home/node:/bin/sh\n')
  writeFileSync(join(etc, 'group'), 'root:x:0:\nnode:x:1000:\n')
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'npm'), npm)
  chmodSync(join(bin, 'npm'), 0o755)

  /** Mounts of a container over a tree, then its program, by the shell's `exec`. */
  function contained(tree: string, workdir: string, command: readonly string[], options: ContainerOptions): string[] {
    const { user, readOnly = false, volumes = {}, emptyDirs = [] } = options
    const mounts = [
      ...readdirSync(tree).map((path) => `mount --bind '${join(tree, path)}' /${path}`),
      `mount --bind '${etc}/passwd' /etc/passwd`,
      `mount --bind '${etc}/group' /etc/group`,
      ...Object.entries(volumes).map(([path, source]) => `mount --bind '${source}' '${path}'`),
      ...(readOnly ? ['/', ...readdirSync(tree).map((path) => `/${path}`)] : []).map(
        (path) => `mount -o remount,bind,ro ${path}`,
      ),
      ...emptyDirs.map((path) => `mount -t tmpfs -o mode=1777 tmpfs '${path}'`),
    ]
    const drop = [
      'setpriv',
      `--reuid=${user}`,
      `--regid=${user}`,
      '--clear-groups',
      '--no-new-privs',
      '--bounding-set=-all',
      '--inh-caps=-all',
    ]
    const script = `set -e; ${mounts.join('; ')}; cd '${workdir}'; exec "$@"`
    return ['unshare', '--mount', 'sh', '-c', script, 'sh', ...(user === undefined ? [] : drop), ...command]
  }

  const trees = new Map<string, string>()
  let tree = ''
  let workdir = '/'
  for (const [index, stage] of readDockerfile().entries()) {
    let env: Record<string, string> = {}
    for (const { name, text } of stage) {
      if (name === 'FROM') {
        tree = join(folder, `stage-${index}`)
        trees.set(/ AS (\w+)$/i.exec(text)?.[1] ?? String(index), tree)
      } else if (name === 'WORKDIR') {
        workdir = text
        mkdirSync(join(tree, workdir), { recursive: true })
      } else if (name === 'ENV') {
        env = { ...env, ...toVariables([text]) }
      } else if (name === 'COPY') {
        copy(text, join(tree, workdir))
      } else if (name === 'RUN') {
        const installed = join(root, 'node_modules')
        const links = statSync(installed).dev === statSync(folder).dev ? '1' : ''
        const [file = '', ...args] = contained(tree, workdir, ['sh', '-c', text], { env })
        const buildEnv = {
          ...env,
          PATH: `${bin}:${process.env.PATH}`,
          INSTALLED: installed,
          LINKS: links,
          TREE: join(tree, workdir),
        }
        execFileSync(file, args, { env: buildEnv, stdio: 'pipe' })
      }
    }
  }

  function copy(text: string, folder: string): void {
    const words = text.split(/\s+/)
    const from = words.find((word) => word.startsWith('--from='))?.slice('--from='.length)
    const paths = words.filter((word) => !word.startsWith('--'))
    const target = paths.at(-1) ?? ''
    for (const source of paths.slice(0, -1)) {
      const to = join(folder, target, target.endsWith('/') ? basename(source) : '')
      if (from === undefined) copyFromContext(source, to)
      else execFileSync('cp', ['-a', '--link', join(trees.get(from) ?? '', source), to])
    }
  }

  return {
    ...readImageConfig(),
    start(command, options) {
      const [file = '', ...args] = contained(tree, workdir, command, options)
      return spawn(file, args, { env: { PATH: process.env.PATH, ...options.env }, stdio: ['ignore', 'pipe', 'pipe'] })
    },
  }
}
