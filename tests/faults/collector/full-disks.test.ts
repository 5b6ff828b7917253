import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { makeSiteToken } from '../../../app/collector/site-address.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { startTestCollector } from '../../support/collector.ts'
import { newUrl, reportRequest, send, storedOf, temporaryFolders } from '../../support/collector-posts.ts'
import { connectPatiently } from '../../support/patience.ts'
import { playStatements } from '../../support/played-statements.ts'
import { createTenantWriter } from '../../support/tenants.ts'

let database: Database
const token = makeSiteToken()
const folders = temporaryFolders()
/** Of ClickHouse's disk. */
let isFull = false

playStatements(({ text }) =>
  isFull && text.startsWith('INSERT INTO reports ') ? { code: 243, message: 'Cannot reserve 1 MiB' } : undefined,
)

beforeAll(async () => {
  database = connectPatiently(inject('servers').writeUrl)
  const writer = createTenantWriter(database)
  await writer.createSite(await writer.createTenant(), { hosts: ['shop.example'], token })
})

afterAll(async () => {
  await database?.close()
  await folders.remove()
})

async function open(folder: string) {
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line).msg) })
  const collector = await startTestCollector({ DATA_DIR: folder }, { log, waits: false })
  const post = (url: string) => send(() => fetch(`${collector.url}/r/${token}`, reportRequest(url)))
  async function ready() {
    const response = await fetch(`${collector.url}/readyz`)
    const { checks, log } = (await response.json()) as {
      checks: Record<string, string>
      log: { readonly waitsFor?: string }
    }
    return { status: response.status, log: checks.log, waitsFor: log.waitsFor }
  }
  return { ...collector, lines, post, ready }
}

const canMount = process.platform === 'linux' && process.getuid?.() === 0

describe.skipIf(!canMount)('the disk of the log', () => {
  function mount(): string {
    const folder = mkdtempSync(join(tmpdir(), 'log-disk-'))
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', folder])
    onTestFinished(() => {
      execFileSync('umount', ['--lazy', folder])
      rmSync(folder, { recursive: true, force: true })
    })
    return folder
  }

  test('full: 503 with Retry-After, not ready, nothing acknowledged is lost, and 204 when there is room', async () => {
    const folder = mount()
    const { post, ready, drained, close } = await open(folder)
    const urls = [newUrl()]
    expect(await post(urls[0] ?? '')).toMatchObject({ status: 204 })
    await drained()
    expect(await ready()).toMatchObject({ status: 200, log: 'ok' })
    const { bavail, bsize } = statfsSync(folder)
    writeFileSync(join(folder, 'filler'), Buffer.alloc(bavail * bsize - 50_000))
    await expect.poll(ready).toMatchObject({ status: 503, log: 'failing' })
    await expect.poll(() => post(newUrl())).toMatchObject({ status: 503, retryAfter: '5' })
    rmSync(join(folder, 'filler'))
    await expect.poll(ready).toMatchObject({ status: 200, log: 'ok' })
    urls.push(newUrl())
    expect(await post(urls[1] ?? '')).toMatchObject({ status: 204 })
    await drained()
    expect(await storedOf(database, ...urls)).toEqual([1, 1])
    await close()
  })

  test('read-only: 503, not ready, and the log of the collector names it; what was taken is stored when it is writable', async () => {
    const folder = mount()
    const { post, ready, lines, drained, close } = await open(folder)
    const urls = [newUrl(), newUrl()]
    expect(await post(urls[0] ?? '')).toMatchObject({ status: 204 })
    await drained()
    execFileSync('mount', ['-o', 'remount,ro', folder])
    await expect.poll(ready).toMatchObject({ status: 503, log: 'failing' })
    expect(await post(newUrl())).toMatchObject({ status: 503, retryAfter: '5' })
    execFileSync('mount', ['-o', 'remount,rw', folder])
    await expect.poll(ready).toMatchObject({ status: 200, log: 'ok' })
    expect(await post(urls[1] ?? '')).toMatchObject({ status: 204 })
    await drained()
    expect(await storedOf(database, ...urls)).toEqual([1, 1])
    const ofLog = lines.filter((line) => line.includes(' to the log '))
    expect(ofLog[0]).toBe('Cannot write to the log (DATA_DIR/collector)')
    expect(ofLog).toContain('Writes to the log succeed again')
    await close()
  })
})

test('a full disk of ClickHouse: posts are 204, the cause is named, and all is stored when there is room', async () => {
  const { post, ready, drained, close, lines } = await open(await folders.make())
  isFull = true
  const url = newUrl()
  expect(await post(url)).toMatchObject({ status: 204 })
  await expect.poll(ready).toMatchObject({ status: 200, waitsFor: expect.stringContaining('Cannot reserve') })
  isFull = false
  await drained()
  expect(await storedOf(database, url)).toEqual([1])
  expect(lines).toContain('ClickHouse does not accept reports; they wait in the log')
  await close()
})
