import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pino from 'pino'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { logStoreOutage } from '../../../app/collector/log-store-outage.ts'
import { makeSiteToken } from '../../../app/collector/site-address.ts'
import { connect } from '../../../queries/clickhouse/client.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { newUrl, openCollector, storedOf, temporaryFolders } from '../../support/collector-posts.ts'
import { playStatements } from '../../support/played-statements.ts'
import { createTenantWriter } from '../../support/tenants.ts'

let database: Database
const token = makeSiteToken()
const folders = temporaryFolders()
const timeouts = { recoveryPauseMs: 20 }
/** Of ClickHouse's disk. */
let isFull = false

playStatements(({ text }) =>
  isFull && text.startsWith('INSERT INTO reports ') ? { code: 243, message: 'Cannot reserve 1 MiB' } : undefined,
)

beforeAll(async () => {
  database = connect(inject('servers').writeUrl)
  const writer = createTenantWriter(database)
  await writer.createSite(await writer.createTenant(), { hosts: ['shop.example'], token })
})

afterAll(async () => {
  await database?.close()
  await folders.remove()
})

async function open(replaced: Parameters<typeof openCollector>[2]) {
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line).msg) })
  const folder = join(await folders.make(), 'collector')
  const onOutage = logStoreOutage(log, 'ClickHouse')
  const opened = await openCollector(database, folder, { timeouts, onOutage, ...replaced })
  const ready = async () => {
    const response = await opened.app.request('/readyz')
    const { checks } = (await response.json()) as { checks: Record<string, string> }
    return [response.status, checks.store, checks.inserts, checks.spool]
  }
  return { ...opened, folder, lines, ready }
}

test('a folder that cannot be written: 503, not ready before a post finds it, and the log names it', async () => {
  const { store, post, folder, lines, ready } = await open({})
  try {
    expect((await post(token, newUrl())).status).toBe(204)
    expect(await ready()).toEqual([200, 'ok', 'ok', 'ok'])
    await rm(folder, { recursive: true })
    await writeFile(folder, '')
    expect(await ready()).toEqual([503, 'ok', 'ok', 'failing'])
    const refused = newUrl()
    expect((await post(token, refused)).status).toBe(503)
    expect(await ready()).toEqual([503, 'failing', 'failing', 'failing'])
    await rm(folder)
    await mkdir(folder)
    await expect.poll(async () => (await post(token, newUrl())).status).toBe(204)
    expect(await ready()).toEqual([200, 'ok', 'ok', 'ok'])
    expect(await storedOf(database, refused)).toEqual([0])
    expect(lines.filter((line) => /folder|ClickHouse/.test(line))).toEqual([
      'Failed to write blocks to DATA_DIR/collector',
      'Writing blocks to DATA_DIR/collector works again',
    ])
  } finally {
    await store.close()
  }
})

test('a full disk of ClickHouse: 503, not ready while inserts fail, no block set aside, and 204 when there is room', async () => {
  isFull = true
  const { store, post, folder, lines, ready } = await open({
    limits: { failureMs: 3_600_000 },
    settle: async () => false,
  })
  try {
    const refused = newUrl()
    expect((await post(token, refused)).status).toBe(503)
    await expect.poll(ready).toEqual([503, 'ok', 'failing', 'ok'])
    isFull = false
    expect((await post(token, newUrl())).status).toBe(204)
    expect(await ready()).toEqual([200, 'ok', 'ok', 'ok'])
    expect(await storedOf(database, refused)).toEqual([0])
    expect(await readdir(folder)).toEqual([])
    expect(lines.at(0)).toBe('ClickHouse does not respond')
  } finally {
    await store.close()
  }
})

test('a block that cannot be read and a folder among the blocks stop nothing', async () => {
  const unreadable: string[] = []
  const { store, post, folder } = await open({ onUnreadable: (blockToken) => unreadable.push(blockToken) })
  try {
    await mkdir(join(folder, 'a.block'))
    await writeFile(join(folder, 'b.block'), 'no head')
    store.sendLeftovers()
    await expect.poll(store.isReady).toBe(true)
    expect((await post(token, newUrl())).status).toBe(204)
    expect(unreadable).toEqual(['b'])
    expect((await readdir(folder)).sort()).toEqual(['a.block', 'b.unreadable'])
  } finally {
    await store.close()
  }
})
