import { once } from 'node:events'
import { connect } from 'node:net'
import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { listen } from '../../app/listen.ts'
import type { ApiEnv } from '../../app/pipeline/request-state.ts'

test('a connection whose answer nobody reads is ended', async () => {
  const app = new Hono<ApiEnv>()
  app.get('/', (c) => c.body('x'.repeat(64 * 1024 * 1024)))
  const listener = await listen(app, 0, '127.0.0.1', 300)
  const { port } = new URL(listener.url)
  const socket = connect(Number(port), '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  socket.pause()
  const started = performance.now()
  // The kernel tells of the end only when what it holds is read.
  setTimeout(() => socket.resume(), 1_500)
  let received = 0
  socket.on('data', (piece) => {
    received += piece.length
  })
  socket.on('error', () => undefined)
  await once(socket, 'close')
  expect(received).toBeLessThan(64 * 1024 * 1024)
  expect(performance.now() - started).toBeLessThan(10_000)
  await listener.stop()
})
