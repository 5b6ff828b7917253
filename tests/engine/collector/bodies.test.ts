import { once } from 'node:events'
import { connect as openSocket, type Socket } from 'node:net'
import pino from 'pino'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createMemoryBudgets } from '../../../app/budgets/memory-budgets.ts'
import { maxBodyBytesInFlight } from '../../../app/collector/receive-body.ts'
import { makeSiteToken } from '../../../app/collector/site-address.ts'
import { type Listener, listen } from '../../../app/http/listen.ts'
import { connect } from '../../../queries/clickhouse/client.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { newUrl, openCollector, reportRequest, send, temporaryFolders } from '../../support/collector-posts.ts'
import { createTenantWriter } from '../../support/tenants.ts'

/** A body of a report has more than a site's share of these. */
const bodyBytesInFlight = 400
const postsPerMinute = 500

let database: Database
let collector: Awaited<ReturnType<typeof openCollector>>
let listener: Listener
const lines: string[] = []
const folders = temporaryFolders()
const [token, otherToken, poorToken] = [makeSiteToken(), makeSiteToken(), makeSiteToken()]

beforeAll(async () => {
  database = connect(inject('servers').writeUrl)
  const writer = createTenantWriter(database)
  const tenantId = await writer.createTenant()
  for (const token of [otherToken, poorToken]) await writer.createSite(tenantId, { hosts: ['shop.example'], token })
  await writer.createSite(tenantId, { hosts: ['shop.example'], token })
  const log = pino({ level: 'debug' }, { write: (line) => void lines.push(line) })
  // No token returns.
  const budgets = createMemoryBudgets({ now: () => 0 })
  const services = { bodyBytesInFlight, log, budgets, postsPerMinute }
  collector = await openCollector(database, await folders.make(), {}, services)
  listener = await listen(collector.app, 0, '127.0.0.1')
})

afterAll(async () => {
  await listener?.stop()
  await collector?.store.close()
  await database?.close()
  await folders.remove()
})

const post = (to: string) => send(() => fetch(`${listener.url}/r/${to}`, reportRequest(newUrl())))

/** A request that goes no further than this. */
function begin(to: string, rest: string): Socket {
  const socket = openSocket(Number(new URL(listener.url).port), '127.0.0.1')
  socket.on('error', () => undefined)
  socket.write(`POST /r/${to} HTTP/1.1\r\nHost: x\r\n${rest}`)
  return socket
}

const json = 'Content-Type: application/reports+json\r\n'

test('slow bodies are bounded in bytes, a site’s by its share: 503 with Retry-After, and 204 once they ended', async () => {
  expect(maxBodyBytesInFlight).toBe(64 * 1024 * 1024)
  const slow = begin(token, `${json}Content-Length: 900\r\n\r\n${'x'.repeat(101)}`)
  await expect.poll(async () => (await post(token)).code).toBe('overloaded')
  const refused = await post(token)
  expect(refused).toMatchObject({ status: 503, retryAfter: '5' })
  expect((await post(otherToken)).status).toBe(204)
  slow.destroy()
  await expect.poll(async () => (await post(token)).status).toBe(204)
  const hungUp = lines.filter((line) => line.includes('"status":499'))
  expect(hungUp).toHaveLength(1)
  expect(JSON.parse(hungUp[0] as string)).toMatchObject({ operation: 'reports.collect', msg: 'request' })
  expect(lines.filter((line) => line.includes('"err"'))).toEqual([])
})

test.each([
  [415, token, 'Content-Type: image/png\r\n'],
  [404, makeSiteToken(), json],
  [429, poorToken, json],
])('a body of unknown length is not read before a %d', async (status, to, headers) => {
  if (status === 429) await spend(to)
  const socket = begin(to, `${headers}Transfer-Encoding: chunked\r\n\r\n`)
  const [response] = await once(socket, 'data')
  expect(String(response)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  socket.destroy()
})

/** All of a site's budget, by posts without a report. */
async function spend(to: string): Promise<void> {
  const empty = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' }
  const statuses = await Promise.all(
    Array.from({ length: postsPerMinute + 1 }, async () => (await collector.app.request(`/r/${to}`, empty)).status),
  )
  expect(statuses).toContain(429)
}
