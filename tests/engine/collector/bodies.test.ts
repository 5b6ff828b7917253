import { once } from 'node:events'
import { connect as openSocket, type Socket } from 'node:net'
import pino from 'pino'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createMemoryBudgets } from '../../../app/budgets/memory-budgets.ts'
import { createBodyQuotas, maxBodyBytesInFlight, maxUnknownBytes } from '../../../app/collector/receive-body.ts'
import { makeSiteToken } from '../../../app/collector/site-address.ts'
import { type Listener, listen } from '../../../app/http/listen.ts'
import { connect } from '../../../queries/clickhouse/client.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import {
  newUrl,
  openCollector,
  reportRequest,
  send,
  storedOf,
  temporaryFolders,
} from '../../support/collector-posts.ts'
import { createTenantWriter } from '../../support/tenants.ts'

/** A site's share is 1,000; bodies of a report have 110 to 130 bytes. */
const bodyQuotas = createBodyQuotas(4_000, 200)
const postsPerMinute = 500

let database: Database
let collector: Awaited<ReturnType<typeof openCollector>>
let listener: Listener
const lines: string[] = []
let heldLookups: Promise<unknown> = Promise.resolve()
const folders = temporaryFolders()
let newSite: () => Promise<string>
const [token, otherToken, poorToken] = [makeSiteToken(), makeSiteToken(), makeSiteToken()]

beforeAll(async () => {
  database = connect(inject('servers').writeUrl)
  const writer = createTenantWriter(database)
  const tenantId = await writer.createTenant()
  for (const token of [otherToken, poorToken]) await writer.createSite(tenantId, { hosts: ['shop.example'], token })
  await writer.createSite(tenantId, { hosts: ['shop.example'], token })
  newSite = async () => {
    const token = makeSiteToken()
    await writer.createSite(tenantId, { hosts: ['shop.example'], token })
    return token
  }
  const log = pino({ level: 'debug' }, { write: (line) => void lines.push(line) })
  // No token returns.
  const budgets = createMemoryBudgets({ now: () => 0 })
  const read: Database['read'] = async (query) => {
    await heldLookups
    return database.read(query)
  }
  const services = { database: { read }, bodyQuotas, log, budgets, postsPerMinute }
  collector = await openCollector(database, await folders.make(), services)
  listener = await listen(collector.app, 0, '127.0.0.1', { allowHalfOpen: true })
})

afterAll(async () => {
  await listener?.stop()
  await collector?.close()
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

/** Reads of tokens wait until the function it returns is called. */
function holdLookups(): () => void {
  let release = () => {}
  heldLookups = new Promise<void>((resolve) => {
    release = resolve
  })
  return () => release()
}

const json = 'Content-Type: application/reports+json\r\n'

test('slow bodies are bounded in bytes, a site’s by its share: 503 with Retry-After, and 204 once they ended', async () => {
  expect(maxBodyBytesInFlight).toBe(64 * 1024 * 1024)
  const slow = begin(token, `${json}Content-Length: 1900\r\n\r\n${'x'.repeat(1_001)}`)
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

/** The whole of a post, in pieces of a size, as its sender closes. */
function postAndClose(
  to: string,
  url: string,
  close: (socket: Socket) => void,
  pieceLength = Number.POSITIVE_INFINITY,
) {
  const { body } = reportRequest(url)
  const socket = begin(to, `${json}Content-Length: ${body.length}\r\n\r\n`)
  socket.setNoDelay(true)
  for (let at = 0; at < body.length; at += pieceLength) socket.write(body.slice(at, at + pieceLength))
  close(socket)
  return socket
}

test.each<[string, (socket: Socket) => void]>([
  ['FIN', (socket) => socket.end()],
  ['FIN, unread', (socket) => socket.destroySoon()],
  ['RST', (socket) => socket.end(() => socket.resetAndDestroy())],
])('a whole body is stored though its sender closes behind it, while its token is looked up: %s', async (_, close) => {
  const urls = Array.from({ length: 6 }, newUrl)
  const tokens = [await newSite(), await newSite()] as const
  const release = holdLookups()
  const sockets = urls.map((url, index) =>
    postAndClose(tokens[index % 2] as string, url, close, index < 3 ? 7 : undefined),
  )
  await Promise.all(sockets.map((socket) => once(socket, 'finish')))
  await expect.poll(() => bodyQuotas.unknown.total()).toBeGreaterThan(0)
  release()
  await expect.poll(() => storedOf(database, ...urls)).toEqual(urls.map(() => 1))
  expect([bodyQuotas.unknown.total(), bodyQuotas.sites.total()]).toEqual([0, 0])
})

test('a sender that closed its half gets its 204', async () => {
  const socket = postAndClose(await newSite(), newUrl(), (open) => open.end())
  const [response] = await once(socket, 'data')
  expect(String(response)).toMatch(/^HTTP\/1\.1 204 /)
  await once(socket, 'close')
})

test('bodies of tokens that are not looked up yet wait within one quota, and are stored once they are', async () => {
  expect(maxUnknownBytes).toBe(4 * 1024 * 1024)
  const urls = Array.from({ length: 8 }, newUrl)
  const tokens = [await newSite(), await newSite()] as const
  const release = holdLookups()
  const posts = urls.map((url, index) =>
    send(() => fetch(`${listener.url}/r/${tokens[index % 2]}`, reportRequest(url))),
  )
  await expect.poll(() => bodyQuotas.unknown.total()).toBeGreaterThan(200)
  // The last body within the quota may exceed it.
  expect(bodyQuotas.unknown.total()).toBeLessThan(330)
  release()
  const statuses = (await Promise.all(posts)).map(({ status, code }) => code ?? status)
  expect(new Set(statuses)).toEqual(new Set([204]))
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

/** All of a site's budget. */
async function spend(to: string): Promise<void> {
  let status = 204
  for (let post = 0; post <= postsPerMinute && status === 204; post++) {
    status = (await collector.post(to, newUrl())).status
  }
  expect(status).toBe(429)
}
