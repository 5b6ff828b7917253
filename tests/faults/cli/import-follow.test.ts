import { appendFileSync, existsSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, type ExpectStatic, expect, test } from 'vitest'
import { withLease } from '../../../app/program/lease.ts'
import { gatherDurations } from '../../../schema/durations.ts'
import { type CliProcess, startCli } from '../../support/cli.ts'
import { openCliImports, post } from '../../support/cli-import.ts'

const { countOf, database, environment, folder, importReports, rollupsOf, tenants, tenantWithSite, write } =
  openCliImports()

let files = 0

/** A POST of a page whose number no other line has. */
const page = (number: number) => post(`https://a.example/${number}`)

async function newFile(...lines: string[]) {
  const { tenantId } = await tenantWithSite('a.example')
  return { tenantId, path: write(`followed-${files++}.ndjson`, lines) }
}

const append = (path: string, ...lines: string[]) => appendFileSync(path, lines.map((line) => `${line}\n`).join(''))

const follow = (tenantId: string, path: string) =>
  startCli(['import', 'reports', '--tenant', tenantId, '--follow', path], { environment, folder })

/** @param expect of the test, as several run at once. */
const stored = (expect: ExpectStatic, tenantId: string, reports: number) =>
  expect.poll(() => countOf(tenantId), { interval: 150 }).toBe(reports)

/** Takes over the lease of a killed run, and releases it. */
const expireLease = (tenantId: string) =>
  withLease({ database, leaseId: tenantId, kind: 'import', expiresAfterMs: 1, onWait: () => {} }, async () => {})

/** Ends a run as Ctrl-C does; its result. */
async function stop(run: CliProcess) {
  run.kill('SIGINT')
  const { code, stdout, stderr } = await run.ended
  expect({ code, stderr }).toMatchObject({ code: 0 })
  return { ...JSON.parse(stdout), stderr }
}

// At once, as they wait for the pauses of programs.
describe.concurrent('a followed file', () => {
  test('stores lines as they end, a half line when it is whole, and ends at Ctrl-C with its counts', async ({
    expect,
  }) => {
    const { tenantId, path } = await newFile(page(1))
    const run = follow(tenantId, path)
    await stored(expect, tenantId, 1)
    append(path, page(2), page(3))
    await stored(expect, tenantId, 3)
    append(path, page(4))
    await stored(expect, tenantId, 4)
    appendFileSync(path, page(5).slice(0, 40))
    // It is polled twice a second.
    await sleep(gatherDurations.longestMs + 1_000)
    expect(await countOf(tenantId)).toBe(4)
    append(path, page(5).slice(40))
    await stored(expect, tenantId, 5)
    expect(await stop(run)).toMatchObject({ posts: 5, stored: 5, rejected: 0 })
    expect(await rollupsOf(tenantId)).toMatchObject({ different: 0 })
  })

  test('a renamed file is read to its end, then the file that took its name', async ({ expect }) => {
    const { tenantId, path } = await newFile(page(1))
    const run = follow(tenantId, path)
    await stored(expect, tenantId, 1)
    renameSync(path, `${path}.1`)
    append(`${path}.1`, page(2))
    await stored(expect, tenantId, 2)
    writeFileSync(path, '')
    const [rotated, lines] = [2, 4]
    append(path, page(3), page(4))
    await stored(expect, tenantId, lines)
    const { stderr, ...result } = await stop(run)
    expect(result).toMatchObject({ posts: lines, stored: lines, rejected: 0 })
    expect(stderr).toContain(`${path} was replaced or truncated: reading it from the start`)
    // The rotated file repeats what is stored.
    const again = await importReports(['--tenant', tenantId, `${path}.1`])
    expect(JSON.parse(again.stdout)).toMatchObject({ stored: rotated })
    expect(await countOf(tenantId)).toBe(lines)
  })

  test('a file that was copied and truncated is read again from its start', async ({ expect }) => {
    const { tenantId, path } = await newFile(page(1), page(2))
    const run = follow(tenantId, path)
    await stored(expect, tenantId, 2)
    truncateSync(path)
    append(path, page(3))
    await stored(expect, tenantId, 3)
    expect(await stop(run)).toMatchObject({ posts: 3, stored: 3 })
  })

  test('a run that was killed again and again stores nothing twice, and loses nothing', async ({ expect }) => {
    const { tenantId, path } = await newFile()
    let lines = 0
    // During a batch, whose lease another run would wait for 30 s to expire, and most often between two.
    for (const delay of [0, 700]) {
      const run = follow(tenantId, path)
      const before = await countOf(tenantId)
      const writing = setInterval(() => append(path, page(++lines)), 40)
      try {
        await expect.poll(() => countOf(tenantId), { interval: 20 }).toBeGreaterThan(before)
        await sleep(delay)
      } finally {
        clearInterval(writing)
        run.kill('SIGKILL')
        await run.ended
        await expireLease(tenantId)
      }
    }
    const run = follow(tenantId, path)
    await stored(expect, tenantId, lines)
    expect(await stop(run)).toMatchObject({ posts: lines, stored: lines })
    // As a file it is the same import.
    expect(JSON.parse((await importReports(['--tenant', tenantId, path])).stdout)).toMatchObject({ stored: lines })
    expect(await countOf(tenantId)).toBe(lines)
    expect(await rollupsOf(tenantId)).toMatchObject({ different: 0 })
  })

  test('a site that was made meanwhile has the lines after it, and the rejected file imports beside', async ({
    expect,
  }) => {
    const { tenantId, path } = await newFile(page(1), post('https://b.example/1'))
    const run = follow(tenantId, path)
    await stored(expect, tenantId, 1)
    const rejected = `${path}.rejected.ndjson`
    await expect.poll(() => existsSync(rejected) && readFileSync(rejected, 'utf8')).toContain('b.example')
    await tenants.createSite(tenantId, { hosts: ['b.example'] })
    append(path, post('https://b.example/2'))
    await stored(expect, tenantId, 2)
    expect((await importReports(['--tenant', tenantId, rejected])).code).toBe(0)
    await stored(expect, tenantId, 3)
    run.kill('SIGINT')
    expect(await run.ended).toMatchObject({ code: 1, stdout: expect.stringContaining('"rejected":1') })
  })

  test('two runs that follow one file store each line once: one of them ends', async ({ expect }) => {
    const { tenantId, path } = await newFile(page(1))
    const runs = [follow(tenantId, path), follow(tenantId, path)]
    await stored(expect, tenantId, 1)
    let lines = 1
    const writing = setInterval(() => append(path, page(++lines)), 300)
    const loser = await Promise.race(runs.map(({ ended }) => ended))
    clearInterval(writing)
    expect(loser).toMatchObject({ code: 2, stderr: expect.stringContaining('Another import reads the same lines') })
    await stored(expect, tenantId, lines)
    for (const run of runs) run.kill('SIGINT')
    await Promise.all(runs.map(({ ended }) => ended))
    expect(await countOf(tenantId)).toBe(lines)
  })

  test('what cannot be followed is an error of one line', async ({ expect }) => {
    const { tenantId } = await newFile()
    const cases: [string, string][] = [
      ['-', '--follow requires a file; omit it for a pipe'],
      ['/dev/null', '--follow requires a file; omit it for a pipe'],
      [join(folder, 'none'), `FILE cannot be read: ${join(folder, 'none')} does not exist`],
    ]
    for (const [path, says] of cases) {
      const { code, stderr } = await importReports(['--tenant', tenantId, '--follow', path])
      expect({ code, lines: stderr.trimEnd().split('\n').length }).toEqual({ code: 2, lines: 1 })
      expect(stderr).toContain(says)
    }
  })
})

describe.concurrent('a pipe', () => {
  test('stores lines while it is open, received then', async ({ expect }) => {
    const { tenantId } = await tenantWithSite('a.example')
    const run = startCli(['import', 'reports', '--tenant', tenantId, '-'], { environment, folder })
    run.stdin.write(`${page(1)}\n`)
    await stored(expect, tenantId, 1)
    run.stdin.write(`${page(2)}\n`)
    await stored(expect, tenantId, 2)
    run.stdin.end(`${page(3)}\n`)
    const { code, stdout } = await run.ended
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, posts: 3, stored: 3 })
    const again = await importReports(['--tenant', tenantId, '-'], `${page(1)}\n${page(2)}\n${page(3)}\n`)
    expect(JSON.parse(again.stdout)).toMatchObject({ stored: 3 })
    expect(await countOf(tenantId)).toBe(3)
  })
})

test.concurrent('a followed file that is gone is waited for', async ({ expect }) => {
  const { tenantId, path } = await newFile(page(1))
  const run = follow(tenantId, path)
  await stored(expect, tenantId, 1)
  rmSync(path)
  await sleep(1_000)
  append(path, page(2))
  await stored(expect, tenantId, 2)
  expect(await stop(run)).toMatchObject({ posts: 2, stored: 2 })
})
