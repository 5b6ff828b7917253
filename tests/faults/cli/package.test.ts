/** @module The file of `npm pack`, installed in an empty folder and run by a user who owns nothing of it. */

import { execFile, spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import packageJson from '../../../package.json' with { type: 'json' }
import { freePort } from '../../support/free-port.ts'
import { root } from '../../support/programs.ts'

const run = promisify(execFile)

let folder: string
/** Of the other user. */
let home: string
let command: string

/** nobody of Linux; a run without root's rights is its own user. */
const other = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

/** Installed as npm does, but with the dependencies of the checkout: no registry is needed. */
async function install(): Promise<void> {
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: root })
  const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf('['))) as [{ filename: string }]
  const modules = join(folder, 'node_modules')
  const own = join(modules, packageJson.name)
  mkdirSync(own, { recursive: true })
  await run('tar', [
    '--extract',
    '--strip-components=1',
    '--no-same-owner',
    '--directory',
    own,
    '--file',
    join(folder, filename),
  ])
  for (const name of Object.keys({ ...packageJson.dependencies, ...packageJson.optionalDependencies })) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), join(modules, name))
  }
  command = join(own, packageJson.bin['security-reporting'])
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'package-'))
  home = join(folder, 'home')
  mkdirSync(home)
  await install()
  for (const path of [folder, home]) chmodSync(path, 0o755)
  if (other.uid !== undefined) chownSync(home, other.uid, other.gid)
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const environment = (given: Readonly<Record<string, string>> = {}) => ({ PATH: process.env.PATH, HOME: home, ...given })

const runCommand = (args: readonly string[], given?: Readonly<Record<string, string>>) =>
  run(command, args, { ...other, cwd: home, env: environment(given) })

test('the package has the built programs and what they read, and no TypeScript', () => {
  const files = readdirSync(dirname(dirname(command)), { recursive: true, encoding: 'utf8' })
  expect(files).toEqual(
    expect.arrayContaining(['dist/cli.js', 'dist/start.js', 'clickhouse/server/users.xml', 'README.md']),
  )
  expect(files.filter((file) => /\.ts$|test|^node_modules/.test(file))).toEqual([])
})

/** A program's file, and the files that it loads before it runs. */
function loadedAtOnce(file: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(file)) return found
  found.add(file)
  for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(/^(?:import|\} from) ?"(\.\/[^"]+)";$/gm)) {
    loadedAtOnce(join(dirname(file), path), found)
  }
  return found
}

test('--help loads neither the clients of ClickHouse and Redis nor the API', () => {
  const files = [...loadedAtOnce(join(dirname(command), '../dist/cli.js'))]
  const text = files.map((file) => readFileSync(file, 'utf8')).join('\n')
  const packages = ['undici', 'ioredis', 'hono', 'pino', 'prom-client'].filter((name) =>
    text.includes(`// node_modules/${name}/`),
  )
  expect({ packages, files: files.length > 1 }).toEqual({ packages: [], files: true })
})

test('another user runs commands of the package in a folder of their own', async () => {
  expect(await runCommand(['--version'])).toEqual({ stdout: `${packageJson.version}\n`, stderr: '' })
  const { stdout } = await runCommand(['--help'])
  for (const name of ['start', 'serve', 'collect', 'worker', 'import', 'doctor'])
    expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'))
  await expect(runCommand(['serve'])).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^CLICKHOUSE_URL is required, .*\n$/),
  })
})

test('another user starts the embedded engine, the demo and a command on them, and owns the data', async () => {
  const port = String(await freePort())
  const ports = { CLICKHOUSE_PORT: port, PORT: '0', COLLECTOR_PORT: '0' }
  const started = spawn(command, ['start'], {
    ...other,
    cwd: home,
    env: environment(ports),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [started.stdout, started.stderr]) stream.on('data', (text) => (output += text))
  const ended = new Promise((resolve) => started.once('close', resolve))
  try {
    const countReports = () =>
      runCommand(['sql', 'SELECT count() > 0 FROM reports'], ports).then(
        ({ stdout }) => stdout,
        () => output,
      )
    await expect.poll(() => output).toContain('Applying 0017_')
    await expect.poll(countReports).toBe('1\n')
    expect(statSync(join(home, '.data', 'demo.json')).uid).toBe(other.uid ?? process.getuid?.())
  } finally {
    started.kill('SIGKILL')
    await ended
  }
})

test('another user runs the command of the documentation in a checkout, of which they own nothing', async () => {
  const options = { ...other, cwd: root, env: environment({ TMPDIR: home }) }
  const { stdout } = await run('npm', ['run', '--silent', 'cli', '--', 'keys', '--help'], options)
  expect(stdout).toContain('Usage: security-reporting keys')
  expect(readdirSync(home).filter((name) => name.startsWith('security-reporting-'))).toEqual([])
})
