import { createHash } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isLineError } from '../../app/import/ndjson/line-error.ts'
import { readRecord } from '../../app/import/records/read-record.ts'
import { scans } from '../../app/import/records/types/scans.ts'
import { makeCertificate } from '../support/certificate.ts'
import { type ScanTestOptions, scanUrl } from '../support/page-scan.ts'
import { startWebServer, type WebServer } from '../support/web-server.ts'

let server: WebServer
let encrypted: WebServer
let body = ''
let handle: RequestListener
const requests: IncomingMessage[] = []

const pathsOf = () => requests.map(({ url }) => url).filter((url) => url !== '/')

/** Another origin of the same server. */
const foreign = (path: string) => `http://localhost:${server.port}${path}`

beforeAll(async () => {
  server = await startWebServer((request, response) => {
    requests.push(request)
    if (request.url !== '/') return handle(request, response)
    response.writeHead(200, { 'Content-Type': 'text/html', 'Set-Cookie': 'session=1' }).end(body)
  })
  const { key, cert } = makeCertificate()
  encrypted = await startWebServer(() => {}, createServer({ key, cert }) as never)
})

afterAll(() => Promise.all([server.close(), encrypted.close()]))

const script =
  (text: string | Buffer, headers = {}): RequestListener =>
  (_, response) =>
    void response.writeHead(200, { 'Content-Type': 'text/javascript', ...headers }).end(text)

/** Scripts of a page with these sources. */
async function scanPage(sources: readonly string[], respond: RequestListener, options: ScanTestOptions = {}) {
  requests.length = 0
  body = sources.map((src) => `<script src="${src}"></script>`).join('')
  handle = respond
  const scan = await scanUrl(`${server.origin}/`, { allowed: ['127.0.0.1:*', 'localhost:*'], ...options })
  expect(readRecord(scans, JSON.stringify(scan), undefined)).not.toSatisfy(isLineError)
  return scan
}

const listed = async (...given: Parameters<typeof scanPage>) => (await scanPage(...given)).scripts ?? []

describe('the scripts of a page', () => {
  test('are listed as often as written, fetched once each, and hashed after decompression', async () => {
    const sources = ['/a.js?v=1#top', ' /a.js?v=1', '/b.js']
    const [first, second, third] = await listed(sources, script(gzipSync('run()'), { 'Content-Encoding': 'gzip' }))
    const hash = `sha256-${createHash('sha256').update('run()').digest('base64')}`
    expect(first).toMatchObject({
      src: '/a.js?v=1#top',
      url: `${server.origin}/a.js?v=1`,
      identityUrl: `${server.origin}/a.js`,
      sameOrigin: true,
      integrity: null,
      outcome: 'hashed',
      hash,
      size: 5,
      problem: null,
    })
    expect(second).toEqual({ ...first, src: ' /a.js?v=1' })
    expect(third).toMatchObject({ outcome: 'hashed', hash })
    expect(pathsOf().sort()).toEqual(['/a.js?v=1', '/b.js'])
  })

  test('are fetched without cookies, with the Origin of the final page where they are of another', async () => {
    await listed(['/own.js', foreign('/foreign.js')], script('1'))
    const headersOf = (path: string) => requests.find(({ url }) => url === path)?.headers
    expect(headersOf('/own.js')).toMatchObject({ 'user-agent': 'test' })
    expect(headersOf('/own.js')).not.toHaveProperty('origin')
    expect(headersOf('/foreign.js')).toMatchObject({ origin: server.origin })
    expect(requests.every(({ headers }) => headers.cookie === undefined)).toBe(true)
  })

  test('have their integrity attribute, and no address where they have no URL', async () => {
    const sources = ['/a.js" integrity="sha384-x', 'data:text/javascript,1', '', 'http://', 'ftp://a.example/a.js']
    const [first, ...others] = await listed(sources, script('1'))
    expect(first).toMatchObject({ integrity: 'sha384-x' })
    for (const one of others) {
      expect(one).toMatchObject({
        url: null,
        identityUrl: null,
        outcome: 'refused',
        problem: { reason: 'no_url' },
        cors: null,
      })
    }
  })

  test('are refused where fetches do not go, also behind a redirect', async () => {
    const sources = ['http://10.0.0.1/a.js', 'http://router/b.js', 'https://c.example.com:22/', '/d.js']
    const found = await listed(
      sources,
      (_, response) => void response.writeHead(302, { Location: 'http://10.0.0.1/' }).end(),
    )
    for (const one of found) {
      expect(one).toMatchObject({ outcome: 'refused', problem: { reason: 'not_allowed' }, cors: null, hash: null })
      expect(one.problem?.message).toContain('OUTBOUND_ALLOWED')
    }
    expect(pathsOf()).toEqual(['/d.js'])
  })

  test('are fetched six at a time', async () => {
    const waiting: ServerResponse[] = []
    let most = 0
    const sources = Array.from({ length: 18 }, (_, index) => `/${index}.js`)
    await listed(sources, (_, response) => {
      most = Math.max(most, waiting.push(response))
      // Time for a seventh.
      if (waiting.length === 6) setTimeout(() => waiting.splice(0).map((one) => one.end('1')), 50)
    })
    expect(most).toBe(6)
  })

  test('past a hundred URLs are skipped, repeats of the first hundred are not', async () => {
    const sources = Array.from({ length: 103 }, (_, index) => `/${index}.js`)
    const found = await listed([...sources, '/0.js'], script('1'))
    expect(found.map(({ outcome }) => outcome)).toEqual([
      ...Array.from({ length: 100 }, () => 'hashed'),
      ...['skipped', 'skipped', 'skipped', 'hashed'],
    ])
    expect(found[100]).toMatchObject({ problem: { reason: 'page_limit' }, cors: null, size: null })
    expect(pathsOf()).toHaveLength(100)
  })

  test('past the time of all scripts are skipped, and none is begun', async () => {
    const sources = Array.from({ length: 20 }, (_, index) => `/${index}.js`)
    const slow: RequestListener = ({ url }, response) => void (url === '/0.js' ? response.end('1') : undefined)
    const found = await listed(sources, slow, { limits: { allScriptsMs: 1_500 } })
    expect(found[0]).toMatchObject({ outcome: 'hashed' })
    expect(found.slice(1).map(({ outcome, problem, cors }) => [outcome, problem?.reason, cors])).toEqual(
      Array.from({ length: 19 }, () => ['skipped', 'time_limit', null]),
    )
    expect(pathsOf().length).toBeLessThanOrEqual(7)
  })

  test('are null of a page that is no payment page, and the result of the others says which are missing', async () => {
    expect(await scanPage(['/a.js'], script('1'), { listsScripts: false })).toMatchObject({ scripts: null })
    expect(pathsOf()).toEqual([])
    const { result } = await scanPage(['/a.js'], script('1'))
    expect(result?.scriptsNote).toContain('csp-hash')
  })
})

test('inline scripts that browsers run are listed once each, data blocks are not', async () => {
  const long = `start("${'😀'.repeat(60)}")`
  body = `<meta charset="utf-8"><script>run(1)</script><script type="application/json">{"a":1}</script><script type="application/ld+json">{}
    </script><script src="data:,x">unused()</script><script></script><script type="module">run(2)</script>
    <svg><script>run(3)</script></svg><script nonce="a">run(1)</script><template><script>no()</script></template>
    <script type="importmap">{"imports":{}}</script><iframe srcdoc="<script>run(4)</script><script>cut("></iframe>
    <script>${long}</script><script>endless()`
  handle = script('1')
  const { result } = await scanUrl(`${server.origin}/`, { allowed: ['127.0.0.1:*'] })
  const hashOf = (text: string) => `sha256-${createHash('sha256').update(text).digest('base64')}`
  expect(result?.inlineScripts).toEqual([
    { hash: hashOf('run(1)'), sample: 'run(1)', count: 2 },
    ...['run(2)', 'run(3)', '{"imports":{}}'].map((text) => ({ hash: hashOf(text), sample: text, count: 1 })),
    { hash: hashOf(long), sample: long.slice(0, 79), count: 1 },
    { hash: hashOf('run(4)'), sample: 'run(4)', count: 1 },
  ])
  body = Array.from({ length: 10_002 }, (_, index) => `<script>${index}</script>`).join('')
  expect(await scanUrl(`${server.origin}/`, { allowed: ['127.0.0.1:*'] })).toMatchObject({ failureReason: 'too_large' })
  const other = await scanUrl(`${server.origin}/`, { allowed: ['127.0.0.1:*'], listsScripts: false })
  expect(other).toMatchObject({ status: 'complete', scripts: null })
  expect(other.result).not.toHaveProperty('inlineScripts')
})

const status =
  (code: number, headers = {}): RequestListener =>
  (_, response) =>
    void response.writeHead(code, headers).end()

test.each<[reason: string, respond: RequestListener, hasResponse?: boolean]>([
  ['http_error', status(404)],
  ['http_error', status(500)],
  ['http_error', status(304)],
  ['http_error', status(302)],
  ['html_response', script('1', { 'Content-Type': 'text/html; charset=utf-8' })],
  ['html_response', script('1', { 'Content-Type': 'application/xhtml+xml' })],
  ['too_large', script(gzipSync(Buffer.alloc(5 * 1024 * 1024 + 1)), { 'Content-Encoding': 'gzip' })],
  ['timeout', () => {}, false],
  ['connection_failed', (_, response) => void response.socket?.destroy(), false],
  ['connection_failed', script('no gzip', { 'Content-Encoding': 'gzip' })],
  ['too_many_redirects', ({ url }, response) => void response.writeHead(302, { Location: `${url}1` }).end()],
])('a script fails by %s', async (reason, respond, hasResponse: boolean = true) => {
  const [found] = await listed([foreign('/a.js')], respond, {
    limits: { scriptMs: reason === 'timeout' ? 300 : 10_000 },
  })
  expect(found).toMatchObject({ outcome: 'failed', hash: null, size: null, problem: { reason } })
  if (hasResponse) expect(found?.cors).toMatchObject({ verdict: 'not_readable', originSent: server.origin })
  else expect(found?.cors).toBeNull()
})

test('a script of a host without a valid certificate fails by tls_failure', async () => {
  const [found] = await listed([`https://localhost:${encrypted.port}/a.js`], script('1'))
  expect(found).toMatchObject({ outcome: 'failed', problem: { reason: 'tls_failure' }, cors: null })
})

test('a script of 5 MB is hashed', async () => {
  const [found] = await listed(
    ['/a.js'],
    script(gzipSync(Buffer.alloc(5 * 1024 * 1024)), { 'Content-Encoding': 'gzip' }),
  )
  expect(found).toMatchObject({ outcome: 'hashed', size: 5 * 1024 * 1024 })
})

test('a scan that is stopped throws the reason, and no script is fetched any more', async () => {
  const stop = new AbortController()
  const sources = Array.from({ length: 20 }, (_, index) => `/${index}.js`)
  const scan = scanPage(sources, () => stop.abort(new Error('the worker ends')), { signal: stop.signal })
  await expect(scan).rejects.toThrow('the worker ends')
  expect(pathsOf().length).toBeLessThanOrEqual(6)
})
