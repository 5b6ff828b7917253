import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { connectionLimits, type Listener, type ListenerProblem, listen } from '../../../../app/http/listen.ts'
import type { ApiEnv } from '../../../../app/pipeline/request-context.ts'

/** Response of a server on this machine to bytes on a connection that it ends. */
async function send({ url }: Listener, request: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.write(request)
  return (await socket.toArray()).join('')
}

test('a request of HTTP/1.0 need not name a host', async () => {
  const app = new Hono<ApiEnv>()
  app.get('/livez', (c) => c.text('alive'))
  const listener = await listen(app, 0, '127.0.0.1')
  expect(await send(listener, 'GET /livez HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 .*alive$/s)
  await listener.stop()
})

test.each<[string, string, string | undefined]>([
  ['host', '/', undefined],
  ['host', '/', 'a b'],
  ['host', '/', 'a/b'],
  ['target', '*', 'x'],
  ['path', '/a\\b', 'x'],
  ['target', '/a#b', 'x'],
  ['target', '/a?b=1#', 'x'],
  ['target', 'http://x/#b', 'x'],
  ['host', '/', 'x\r\nHost: x'],
  ['host', '/', 'x\r\nhOST: y'],
])('a malformed %s gets an error body like every refusal: %s of %s', async (_, target, host) => {
  const listener = await listen(new Hono<ApiEnv>(), 0, '127.0.0.1')
  const named = host === undefined ? '' : `Host: ${host}\r\n`
  const response = await send(listener, `OPTIONS ${target} HTTP/1.1\r\n${named}Connection: close\r\n\r\n`)
  const [head = '', body = ''] = response.split('\r\n\r\n')
  expect(head).toMatch(/^HTTP\/1\.1 400 /)
  expect(head).toMatch(/^content-type: application\/json\r?$/im)
  const { requestId, ...error } = JSON.parse(body).error
  expect(error).toEqual({
    code: 'bad_request',
    message: 'The Host or the target of the request is missing or malformed',
  })
  expect(head.toLowerCase()).toContain(`x-request-id: ${requestId}`)
  await listener.stop()
})

test('an expectation that is not known is ignored', async () => {
  const app = new Hono<ApiEnv>()
  app.get('/', (c) => c.text('here'))
  const listener = await listen(app, 0, '127.0.0.1')
  const response = await send(listener, 'GET / HTTP/1.1\r\nHost: x\r\nExpect: foo\r\nConnection: close\r\n\r\n')
  expect(response).toMatch(/^HTTP\/1\.1 200 .*here$/s)
  await listener.stop()
})

test.each([
  ['a target that is too long', `GET /${'x'.repeat(20_000)} HTTP/1.1`, /^The request’s target and headers are longer/],
  ['a target that is not ASCII', 'GET /é HTTP/1.1', /^The request’s target is malformed; percent-encode/],
  ['what is no HTTP', 'HELLO', /^The request is not HTTP$/],
])('%s gets an error body like every refusal, without its bytes', async (_, line, message) => {
  const outside: ListenerProblem[] = []
  const listener = await listen(new Hono<ApiEnv>(), 0, '127.0.0.1', { onProblem: (one) => outside.push(one) })
  const response = await send(listener, `${line}\r\nHost: x\r\nAuthorization: Bearer secret\r\n\r\n`)
  const [head = '', body = ''] = response.split('\r\n\r\n')
  expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
  expect(head).toMatch(/^content-type: application\/json\r?$/im)
  const { error } = JSON.parse(body)
  expect(error).toEqual({
    code: 'bad_request',
    message: expect.stringMatching(message),
    requestId: outside[0]?.requestId,
  })
  expect(outside).toMatchObject([{ status: 400 }])
  expect(inspect(outside, { depth: null, showHidden: true })).not.toContain('rawPacket')
  await listener.stop()
})

test('garbage after a request does not write into the response of that request', async () => {
  const app = new Hono<ApiEnv>()
  app.get('/', async (c) => {
    await sleep(100)
    return c.text('whole')
  })
  const listener = await listen(app, 0, '127.0.0.1')
  const response = await send(listener, 'GET / HTTP/1.1\r\nHost: x\r\n\r\nHELLO\r\n\r\n').catch(() => '')
  expect(response).not.toContain('bad_request')
  await listener.stop()
})

test('an error that the app throws is sent as internal_error, and only the log has its message', async () => {
  const app = new Hono<ApiEnv>()
  app.onError((error) => {
    throw error
  })
  app.get('/', () => {
    throw new Error('a secret')
  })
  const outside: ListenerProblem[] = []
  const listener = await listen(app, 0, '127.0.0.1', { onProblem: (one) => outside.push(one) })
  const response = await send(listener, 'GET / HTTP/1.0\r\n\r\n')
  expect(response).toMatch(/^HTTP\/1\.1 500 .*"internal_error"/s)
  expect(response).not.toContain('secret')
  expect(outside).toMatchObject([{ status: 500, err: { message: 'a secret' } }])
  expect(response).toContain(`"requestId":"${outside[0]?.requestId}"`)
  await listener.stop()
})

test('a connection whose response nobody reads is closed', async () => {
  const app = new Hono<ApiEnv>()
  app.get('/', (c) => {
    // The kernel reports the end of a connection after its buffered bytes are read.
    c.env.outgoing.once('close', () => socket.resume())
    return c.body('x'.repeat(64 * 1024 * 1024))
  })
  const listener = await listen(app, 0, '127.0.0.1', { limits: { idleTimeoutMs: 300 } })
  const { port } = new URL(listener.url)
  const socket = connect(Number(port), '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  socket.pause()
  let received = 0
  socket.on('data', (piece) => {
    received += piece.length
  })
  socket.on('error', () => undefined)
  await once(socket, 'close')
  expect(received).toBeLessThan(64 * 1024 * 1024)
  await listener.stop()
})

test('an address that is not this machine’s is an error that names the variable', async () => {
  const started = listen(new Hono<ApiEnv>(), 0, '192.0.2.1')
  await expect(started).rejects.toThrow(/^HOST must be an address to listen on, not "192\.0\.2\.1": [^\n]+$/)
})

test('an idle connection outlives the 60 s of balancers, and a request has 10 s to arrive', async () => {
  const app = new Hono<ApiEnv>()
  app.get('/', (c) => c.text('here'))
  const listener = await listen(app, 0, '127.0.0.1')
  const response = await fetch(listener.url)
  expect(response.headers.get('Keep-Alive')).toBe('timeout=75')
  expect(connectionLimits).toMatchObject({ requestTimeoutMs: 10_000, idleTimeoutMs: 60_000, maxConnections: 4_000 })
  await response.text()
  await listener.stop()
})

test('a body that does not arrive in time ends with its connection, and others are served', async () => {
  const app = new Hono<ApiEnv>()
  app.post('/', async (c) => c.text(await c.req.text()))
  app.onError((_, c) => c.body(null))
  const limits = { requestTimeoutMs: 200, checkIntervalMs: 50 }
  const listener = await listen(app, 0, '127.0.0.1', { limits })
  const head = 'POST / HTTP/1.1\r\nHost: x\r\n'
  const slow = [
    `${head}Content-Length: 9\r\n\r\nhalf`,
    `${head}Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n`,
    head,
    '',
  ]
  const ended = slow.map((sent) => send(listener, sent).catch(() => 'reset'))
  expect(await (await fetch(listener.url, { method: 'POST', body: 'whole' })).text()).toBe('whole')
  for (const response of await Promise.all(ended)) expect(response).not.toContain(' 200 ')
  await listener.stop()
})

test('connections beyond the bound are refused, and take the place of idle ones', async () => {
  const app = new Hono<ApiEnv>()
  app.get('/', (c) => c.text('here'))
  const listener = await listen(app, 0, '127.0.0.1', { limits: { maxConnections: 2 } })
  const { port } = new URL(listener.url)
  const open = async () => {
    const socket = connect(Number(port), '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    const first = await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => [''])])
    return { socket, text: String(first[0]) }
  }
  const idle = [await open(), await open()]
  for (const { text } of idle) expect(text).toContain('200 OK')
  const ends = idle.map(({ socket }) => once(socket, 'close'))
  expect((await open()).text).toBe('')
  await Promise.all(ends)
  const next = await open()
  expect(next.text).toContain('200 OK')
  next.socket.destroy()
  await listener.stop()
})
