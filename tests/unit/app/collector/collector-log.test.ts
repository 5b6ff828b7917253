import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  type CollectorLog,
  type CollectorLogOptions,
  openCollectorLog,
} from '../../../../app/collector/collector-log.ts'
import { segmentFiles } from '../../../../app/collector/open-segment.ts'
import type { PostRecord } from '../../../../app/collector/segment-file.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'log-'))
})
afterEach(async () => {
  for (const log of logs.splice(0)) await log.close()
  rmSync(folder, { recursive: true, force: true })
})

const logs: CollectorLog[] = []
async function openLog(options: Partial<CollectorLogOptions> = {}): Promise<CollectorLog> {
  const log = await openCollectorLog({ folder, ...options })
  logs.push(log)
  return log
}

const post = (text: string, siteId = 's'): PostRecord => ({
  tenantId: 't',
  siteId,
  tokenHash: 'h',
  receivedAt: 1_000,
  reports: 1,
  lines: Buffer.from(`${JSON.stringify([text])}\n`),
})

const names = () => readdirSync(folder).map((name) => name.replace(/^.*\./, ''))

async function linesOf(log: CollectorLog): Promise<string[]> {
  await log.seal()
  const contents = await Promise.all(log.segments().map((segment) => log.load(segment)))
  return contents.flatMap(({ records }) => records.map(({ lines }) => JSON.parse(lines.toString())[0]))
}

/** Files that record their calls; some calls can be made to fail. */
function recordedFiles() {
  const calls: string[] = []
  const failing = new Set<string>()
  const run = async <Result>(call: string, task: () => Promise<Result>) => {
    calls.push(call)
    if (failing.has(call)) throw Object.assign(new Error(`${call} fails`), { code: 'EIO' })
    return task()
  }
  const files: typeof segmentFiles = {
    ...segmentFiles,
    open: (async (...given: Parameters<typeof open>) => {
      const file = await run('open', () => open(...given))
      const [write, datasync] = [file.write.bind(file), file.datasync.bind(file)]
      Object.assign(file, {
        write: (...written: Parameters<typeof file.write>) => run('write', () => write(...written)),
        datasync: () => run('datasync', datasync),
      })
      return file
    }) as typeof open,
    syncFolder: (path) => run('syncFolder', () => segmentFiles.syncFolder(path)),
  }
  return { files, calls, failing }
}

test('a post is acknowledged behind the sync of its bytes and, once a segment, of its name', async () => {
  const { files, calls } = recordedFiles()
  const log = await openLog({ files })
  await log.append(post('a')).then(() => calls.push('204'))
  await log.append(post('b')).then(() => calls.push('204'))
  expect(calls).toEqual([
    'open',
    'write',
    'datasync',
    'syncFolder',
    'write',
    'datasync',
    '204',
    'write',
    'datasync',
    '204',
  ])
})

test('a report is counted at each moment from its 204 on, also while its segment is sealed', async () => {
  let release = () => {}
  const gate = new Promise<void>((resolve) => {
    release = resolve
  })
  const rename: typeof segmentFiles.rename = (...paths) => gate.then(() => segmentFiles.rename(...paths))
  const log = await openLog({ files: { ...segmentFiles, rename } })
  await log.append(post('a'))
  const counted: number[] = []
  const sealed = log.seal()
  for (let turn = 0; turn < 20; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 1))
    counted.push(log.reports())
    if (turn === 10) release()
  }
  await sealed
  expect(new Set([...counted, log.reports()])).toEqual(new Set([1]))
})

test('posts that come together share a sync', async () => {
  const { files, calls } = recordedFiles()
  const log = await openLog({ files })
  await log.append(post('first'))
  calls.length = 0
  await Promise.all(Array.from({ length: 50 }, (_, index) => log.append(post(`${index}`))))
  expect(calls.filter((call) => call === 'datasync').length).toBeLessThanOrEqual(2)
  expect(await linesOf(log)).toHaveLength(51)
})

test.each(['write', 'datasync', 'syncFolder', 'open'])(
  'a %s that fails: 503, nothing of the group is sent, what was acknowledged is, and the file gets no second sync',
  async (call) => {
    const { files, calls, failing } = recordedFiles()
    const outages: (string | undefined)[] = []
    const log = await openLog({ files, onFailure: (error) => outages.push(error?.message) })
    await log.append(post('before'))
    if (call === 'open' || call === 'syncFolder') await log.seal()
    failing.add(call)
    calls.length = 0
    await expect(log.append(post('refused'))).rejects.toMatchObject({ status: 503, retryAfterSeconds: 5 })
    expect(calls.filter((one) => one === call)).toHaveLength(1)
    expect(calls.at(-1)).toBe(call)
    failing.clear()
    await log.append(post('after'))
    // Another file.
    expect(calls).toContain('open')
    expect(outages).toEqual([`${call} fails`, undefined])
    expect(await linesOf(log)).toEqual(['before', 'after'])
    // A later process sends the same.
    expect((await linesOf(await openLog())).sort()).toEqual(['after', 'before'])
  },
)

test('a log is full at its bytes, and for a site at a quarter; what is stored makes room', async () => {
  const log = await openLog({ limits: { logBytes: 1_000 } })
  const large = 'x'.repeat(150)
  await log.append(post(large, 'a'))
  await log.append(post(large, 'a'))
  const overloaded = { status: 503, code: 'overloaded', retryAfterSeconds: 5 }
  await expect(log.append(post('y', 'a'))).rejects.toMatchObject(overloaded)
  for (const site of ['b', 'c', 'd', 'e', 'f']) await log.append(post(large, site))
  await expect(log.append(post('y', 'g'))).rejects.toMatchObject(overloaded)
  expect(await log.isWritable()).toBe(false)
  // Counted again by another process.
  const next = await openLog({ limits: { logBytes: 1_000 } })
  await expect(next.append(post('y', 'g'))).rejects.toMatchObject(overloaded)
  expect(next.bytes()).toBe(log.bytes())
  await log.seal()
  for (const segment of [...log.segments()]) log.forget(segment)
  expect(log.bytes()).toBe(0)
  await log.append(post('y', 'a'))
  expect(await log.isWritable()).toBe(true)
})

test('segments end before their limits, and are sent oldest first', async () => {
  const log = await openLog({ limits: { reports: 3 } })
  const texts = Array.from({ length: 8 }, (_, index) => `${index}`)
  for (const text of texts) await log.append(post(text))
  expect(log.segments().map(({ reports }) => reports)).toEqual([3, 3])
  expect(await linesOf(log)).toEqual(texts)
  expect(log.segments().map(({ token }) => token)).toEqual(
    log
      .segments()
      .map(({ token }) => token)
      .toSorted(),
  )
})

test('a torn tail of the newest segment is cut; later posts go to another segment', async () => {
  const damaged: string[] = []
  const before = await openLog()
  await before.append(post('a'))
  const [name = ''] = readdirSync(folder)
  appendFileSync(join(folder, name), readFileSync(join(folder, name)).subarray(0, 20))
  const log = await openLog({ onDamage: (token) => damaged.push(token) })
  await log.append(post('b'))
  expect(await linesOf(log)).toEqual(['a', 'b'])
  expect(damaged).toEqual([])
  expect(names().sort()).toEqual(['log', 'log'])
})

test('a corrupt record of a sealed segment is set aside, and the others are sent', async () => {
  const damaged: number[] = []
  const before = await openLog()
  for (const text of ['first', 'second', 'third']) await before.append(post(text))
  await before.seal()
  const path = join(folder, readdirSync(folder)[0] ?? '')
  const bytes = readFileSync(path)
  bytes[bytes.indexOf('second')] = 0
  writeFileSync(path, bytes)
  const log = await openLog({ onDamage: (_, count) => damaged.push(count) })
  expect(await linesOf(log)).toEqual(['first', 'third'])
  expect(names().sort()).toEqual(['log', 'unreadable'])
  expect(damaged).toHaveLength(1)
  expect(await linesOf(await openLog())).toEqual(['first', 'third'])
})

test('a corrupt record that a later sync proves to have been acknowledged is damage, in the newest segment too', async () => {
  const before = await openLog()
  for (const text of ['first', 'second', 'third']) await before.append(post(text))
  const path = join(folder, readdirSync(folder)[0] ?? '')
  const bytes = readFileSync(path)
  bytes[bytes.indexOf('second')] = 0
  writeFileSync(path, bytes)
  expect(await linesOf(await openLog())).toEqual(['first', 'third'])
  expect(names().sort()).toEqual(['log', 'unreadable'])
})

test('a segment without a readable head is set aside whole; an open one is removed, because nothing in it was synced', async () => {
  writeFileSync(join(folder, 'a.log'), 'no head')
  writeFileSync(join(folder, 'b.open'), '')
  const log = await openLog()
  expect(log.segments()).toEqual([])
  expect(readdirSync(folder)).toEqual(['a.unreadable'])
})

test('a split segment is sent once, however often its split is interrupted', async () => {
  const log = await openLog()
  for (const text of ['a', 'b', 'c']) await log.append({ ...post(text), tenantId: text })
  await log.seal()
  const [segment] = log.segments()
  if (!segment) throw new Error('There is no segment')
  const whole = readFileSync(log.store.pathOf(segment.token, 'log'))
  await log.split(segment, await log.load(segment), (tenantId) => (tenantId === 'b' ? 2 : 1))
  expect(log.segments().map(({ reports }) => reports)).toEqual([2, 1])
  expect((await linesOf(await openLog())).sort()).toEqual(['a', 'b', 'c'])
  // As before the whole one was removed.
  writeFileSync(log.store.pathOf(segment.token, 'log'), whole)
  expect((await linesOf(await openLog())).sort()).toEqual(['a', 'b', 'c'])
})
