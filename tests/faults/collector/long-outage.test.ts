import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeSiteToken } from '../../../app/collector/site-address.ts'
import { checkRollups } from '../../../clickhouse/rollups/check-rollups.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { percentile } from '../../bench/percentile.ts'
import { newUrl, reportRequest, temporaryFolders } from '../../support/collector-posts.ts'
import { queryRows } from '../../support/database.ts'
import type { TestEngine } from '../../support/engine.ts'
import { freezeProcess } from '../../support/freeze-process.ts'
import { startMigratedEngine } from '../../support/migrated-engine.ts'
import { connectPatiently } from '../../support/patience.ts'
import { type SpawnedScript, spawnScript } from '../../support/spawn-script.ts'
import { createTenantWriter } from '../../support/tenants.ts'

/** Seconds of all outages together; OUTAGE_SECONDS=3600 runs an hour. */
const seconds = Number(process.env.OUTAGE_SECONDS ?? 20)
const postsPerSecond = 30

type Outage = 'none' | 'refuses connections' | 'resets connections' | 'takes 1.5 s a statement' | 'refuses logins'

let engine: TestEngine
let database: Database
let collector: SpawnedScript
let outage: Outage = 'none'
const sockets = new Set<Socket>()
const token = makeSiteToken()
const folders = temporaryFolders()

/** Before the engine's port, with a fault of a network or a server. */
const proxy = createServer((client) => {
  sockets.add(client.on('error', () => undefined))
  if (outage === 'refuses connections' || outage === 'resets connections') return void client.resetAndDestroy()
  if (outage === 'refuses logins') {
    return void client.once('data', () =>
      client.end(
        'HTTP/1.1 403 Forbidden\r\nX-ClickHouse-Exception-Code: 516\r\nContent-Length: 0\r\nConnection: close\r\n\r\n',
      ),
    )
  }
  const upstream = connect(engine.port, '127.0.0.1')
  sockets.add(upstream.on('error', () => client.destroy()))
  client.pipe(upstream)
  upstream.on(
    'data',
    (data) => void sleep(outage === 'takes 1.5 s a statement' ? 1_500 : 0).then(() => client.write(data)),
  )
  upstream.on('end', () => client.end())
  client.on('close', () => upstream.destroy())
})

async function begin(next: Outage) {
  outage = next
  for (const socket of sockets) socket.destroy()
  sockets.clear()
}

beforeAll(async () => {
  engine = await startMigratedEngine()
  database = connectPatiently(engine.userUrls.writer)
  const writer = createTenantWriter(database)
  await writer.createSite(await writer.createTenant(), { hosts: ['shop.example'], token })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  const url = new URL(engine.userUrls.writer)
  url.port = String((proxy.address() as AddressInfo).port)
  collector = spawnScript('app/collect.ts', [], {
    CLICKHOUSE_URL: url.href,
    DATA_DIR: await folders.make(),
    COLLECTOR_PORT: '0',
    LOG_LEVEL: 'silent',
    SITE_POSTS_PER_MINUTE: '100000',
  })
})

afterAll(async () => {
  collector?.child.kill('SIGKILL')
  await begin('none')
  proxy.close()
  await database?.close()
  await engine?.end()
  await folders.remove()
})

/** Megabytes. */
async function memory(origin: string | undefined): Promise<number> {
  const text = await (await fetch(`${origin}/metrics`)).text()
  return Number(/^process_resident_memory_bytes (\S+)/m.exec(text)?.[1]) / 2 ** 20
}

const timeout = (seconds + 900) * 1_000

test('ClickHouse away in five ways under posts: each is 204, and all are stored once, soon after', {
  timeout,
}, async () => {
  const [, origin] = await collector.printed(/(http:\S+)\/r\//)
  const urls: string[] = []
  const refused: number[] = []
  const times: number[] = []
  const posts = new Set<Promise<void>>()
  async function post() {
    const url = newUrl()
    const startedAt = performance.now()
    const { status } = await fetch(`${origin}/r/${token}`, reportRequest(url))
    times.push(performance.now() - startedAt)
    if (status === 204) urls.push(url)
    else refused.push(status)
  }
  async function during(milliseconds: number) {
    const endsAt = performance.now() + milliseconds
    while (performance.now() < endsAt) {
      const sent = post().finally(() => posts.delete(sent))
      posts.add(sent)
      await sleep(1_000 / postsPerSecond)
    }
  }
  await expect.poll(async () => (await fetch(`${origin}/r/${token}`, reportRequest(newUrl()))).status).toBe(204)
  await during(5_000)
  const before = await memory(origin)
  const eachMs = (seconds * 1_000) / 5
  for (const next of [
    'refuses connections',
    'resets connections',
    'takes 1.5 s a statement',
    'refuses logins',
  ] as const) {
    await begin(next)
    await during(eachMs)
  }
  await begin('none')
  const pid = engine.pid() as number
  freezeProcess(pid)
  await during(eachMs).finally(() => process.kill(pid, 'SIGCONT'))
  const after = await memory(origin)
  await Promise.all(posts)
  const endedAt = performance.now()
  expect(refused).toEqual([])

  const stored = () =>
    queryRows(database, "SELECT count(), uniqExact(document_url) FROM reports WHERE document_url != ''")
  await expect.poll(async () => Number((await stored())[0]?.[1])).toBeGreaterThanOrEqual(urls.length)
  const drainedMs = performance.now() - endedAt
  const known = new Set((await queryRows(database, 'SELECT document_url FROM reports')).flat())
  expect(urls.filter((url) => !known.has(url))).toEqual([])
  const [[rows, pages] = []] = await stored()
  expect(rows).toBe(pages)
  const { checked, differences } = await checkRollups(database)
  expect({ checked: checked > 0, differences }).toEqual({ checked: true, differences: [] })
  const share = (part: number) => Math.round(percentile(times, part))
  process.stderr.write(
    `${seconds} s of outages: ${urls.length} posts of 204, p50 ${share(0.5)} and p99 ${share(0.99)} ms, stored ` +
      `${Math.round(drainedMs)} ms after; memory ${Math.round(before)} MB before, ${Math.round(after)} MB after\n`,
  )
})
