/**
 * @module `npm run bench:tests [-- --faults] [vitest's arguments]`: where a run of `npm test`, or of `npm run test:faults`,
 * spends processor time, and what it waits for.
 */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { toTable } from '../print-results.ts'
import { endedMs, ProcessTimes } from './process-times.ts'
import { Statements } from './statements.ts'

const sampleMs = 100
const collectMs = 2_000

const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')
const [isFaults, given] = [process.argv[2] === '--faults', process.argv.slice(2)]
const config = fileURLToPath(new URL(`../../vitest${isFaults ? '.faults' : ''}.config.ts`, import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'test-run-'))
const sleepsFile = join(folder, 'sleeps.ndjson')
const preload = pathToFileURL(fileURLToPath(new URL('count-sleeps.mjs', import.meta.url))).href

const startedAt = Date.now()
const run = spawn(process.execPath, [vitest, 'run', '--config', config, ...given.slice(isFaults ? 1 : 0)], {
  stdio: 'inherit',
  env: { ...process.env, NODE_OPTIONS: `--import=${preload}`, SLEEPS_FILE: sleepsFile },
})
const processes = new ProcessTimes(run.pid as number)
const statements = new Statements((pid) => processes.has(pid))
const sampling = setInterval(() => processes.sample(), sampleMs)
const collecting = setInterval(() => void statements.collect(), collectMs)
const [code] = await once(run, 'exit')
clearInterval(sampling)
clearInterval(collecting)

const seconds = (ms: number) => (ms / 1000).toFixed(1)
const kinds = [...processes.byKind()].sort(([, a], [, b]) => b.cpuMs - a.cpuMs)
const total = endedMs()
const seen = kinds.reduce((sum, [, { cpuMs }]) => sum + cpuMs, 0)
const statementRows = [...statements.usage].sort(([, a], [, b]) => b.cpuMs - a.cpuMs)
const sleeps = new Map<string, number>()
const lines = existsSync(sleepsFile) ? readFileSync(sleepsFile, 'utf8').trim().split('\n') : []
for (const [file, ms] of lines.flatMap((line) => JSON.parse(line) as [string, number][])) {
  sleeps.set(file, (sleeps.get(file) ?? 0) + ms)
}
rmSync(folder, { recursive: true })

process.stdout.write(
  [
    '',
    `${seconds(Date.now() - startedAt)} s, ${seconds(total)} s of processor time`,
    `${statements.usage.get('INSERT INTO schema_migrations')?.count ?? 0} migrations of a database`,
    '',
    toTable([
      ['processes', 'started', 'processor s'],
      ...kinds.map(([kind, { processes, cpuMs }]) => [kind, String(processes), seconds(cpuMs)]),
      ['not seen by samples', '', seconds(total - seen)],
    ]),
    '',
    toTable([
      ['statements', 'count', 'processor s', 'ms each'],
      ...statementRows
        .slice(0, 60)
        .map(([name, { count, cpuMs }]) => [name, String(count), seconds(cpuMs), (cpuMs / count).toFixed(1)]),
    ]),
    '',
    toTable([
      ['slept in', 's'],
      ...[...sleeps]
        .sort(([, a], [, b]) => b - a)
        .slice(0, 40)
        .map(([file, ms]) => [file, seconds(ms)]),
    ]),
    '',
  ].join('\n'),
)
process.exitCode = code ?? 1
