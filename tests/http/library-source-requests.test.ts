/** @module Requests to the sources of libraries over real connections: addresses, the proxy and certificates. */

import { createServer as createTlsServer } from 'node:https'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../app/config.ts'
import { filesUrl } from '../../app/worker/libraries/jsdelivr-files.ts'
import { requestJson, sourceSettings } from '../../app/worker/libraries/source-request.ts'
import { makeCertificate } from '../support/certificate.ts'
import { startConnectProxy } from '../support/connect-proxy.ts'
import { startWebServer, type WebServer } from '../support/web-server.ts'

let plain: WebServer
let secure: WebServer
let proxy: Awaited<ReturnType<typeof startConnectProxy>>

beforeAll(async () => {
  const { key, cert } = makeCertificate()
  plain = await startWebServer((request, response) => void response.end(JSON.stringify({ path: request.url })))
  secure = await startWebServer(
    (_, response) => void response.end('{}'),
    createTlsServer({ key, cert }, (_, response) => void response.end('{}')),
  )
  proxy = await startConnectProxy((target) => (target.endsWith(':443') ? secure : plain).port)
})
afterAll(() => Promise.all([plain, secure, proxy].map((one) => one?.close())))

const { signal } = new AbortController()
const through = () => sourceSettings(readConfig({ LIBRARY_PROXY_URL: proxy.origin }))

test('a proxy gets the host, and the certificate of the host behind it is checked', async () => {
  proxy.tunnels.length = 0
  const requested = requestJson(filesUrl('jquery', '3.4.1'), through(), signal)
  await expect(requested).rejects.toMatchObject({ cause: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' } })
  expect(proxy.tunnels).toEqual(['data.jsdelivr.com:443'])
})

test('a response comes through the proxy', async () => {
  const body = await requestJson(new URL('http://data.jsdelivr.com/v1/x?y=z'), through(), signal)
  expect(body).toEqual({ path: '/v1/x?y=z' })
})

test('without a proxy the socket connects only to public addresses', async () => {
  const requested = (url: string) => requestJson(new URL(url), sourceSettings(readConfig({})), signal)
  await expect(requested(plain.origin)).rejects.toMatchObject({ reason: 'not_allowed' })
  const guarded = sourceSettings(readConfig({}))
  const lookup = guarded.guard.lookup(new URL('https://localhost/'))
  const refused = new Promise((resolve) => lookup('localhost', {}, (error) => resolve(error)))
  expect(await refused).toMatchObject({ reason: 'not_allowed' })
})

test('the signal of a stop ends a request', async () => {
  const stop = new AbortController()
  stop.abort(new Error('stopped'))
  await expect(requestJson(filesUrl('jquery', '3.4.1'), through(), stop.signal)).rejects.toThrow('stopped')
})
