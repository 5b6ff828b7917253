import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { createSecureServer } from 'node:http2'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createServer as createTcpServer, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isLineError } from '../../app/import/ndjson/line-error.ts'
import { readRecord } from '../../app/import/records/read-record.ts'
import { scans } from '../../app/import/records/types/scans.ts'
import { brotliBomb, gzipBomb } from '../support/bombs.ts'
import { makeCertificate } from '../support/certificate.ts'
import { scanUrl } from '../support/page-scan.ts'
import { startWebServer, type WebServer } from '../support/web-server.ts'

const page = '<!doctype html><title>A page</title>'

const html =
  (
    status = 200,
    headers: Readonly<Record<string, string | string[]>> = {},
    body: string | Buffer = page,
  ): RequestListener =>
  (_, response) =>
    void response.writeHead(status, { 'Content-Type': 'text/html', ...headers }).end(body)

/** With the fields of gzip that few servers send: extra, name, comment and a checksum of the header. */
const named = (gzip: Buffer) =>
  Buffer.concat([
    Buffer.from([0x1f, 0x8b, 8, 30]),
    gzip.subarray(4, 10),
    Buffer.from('\x02\0abname\0comment\0cc'),
    gzip.subarray(10),
  ])

const megabyte = 1024 * 1024

/** An element within frames of srcdoc. */
function framed(levels: number, tagName = 'script'): string {
  const srcdoc =
    levels === 0
      ? ''
      : framed(levels - 1, tagName)
          .replaceAll('&', '&amp;')
          .replaceAll('"', '&quot;')
  return levels === 0 ? `<${tagName} src=/a.js></${tagName}>` : `<iframe srcdoc="${srcdoc}"></iframe>`
}

/** Path, response, and the failure's reason; null for a complete scan. */
const cases: readonly (readonly [name: string, respond: RequestListener, reason: string | null])[] = [
  ['a page', html(), null],
  ['404', html(404), null],
  ['410', html(410), null],
  ['a page without a type', (_, response) => response.end(page), null],
  ['XHTML', html(200, { 'Content-Type': 'application/xhtml+xml; charset=utf-8' }), null],
  ['a page in gzip', html(200, { 'Content-Encoding': 'gzip' }, gzipSync(page)), null],
  ['a page in brotli', html(200, { 'Content-Encoding': 'br' }, brotliCompressSync(page)), null],
  ['mark of Cloudflare', html(200, { 'cf-mitigated': 'challenge' }), 'bot_challenge'],
  ['mark of AWS', html(202, { 'x-amzn-waf-action': 'challenge' }), 'bot_challenge'],
  [
    'a challenge page',
    html(403, {}, '<script src="/cdn-cgi/challenge-platform/h/b/orchestrate"></script>'),
    'bot_challenge',
  ],
  [
    'a challenge with 202',
    html(202, {}, '<script src="https://geo.captcha-delivery.com/c.js"></script>'),
    'bot_challenge',
  ],
  ['marks on a page itself', html(200, {}, `${page}<p>captcha-delivery.com`), null],
  ...[401, 403, 407, 429, 451].map((status) => [`${status}`, html(status), 'access_denied'] as const),
  ...[500, 502, 503, 599].map((status) => [`${status}`, html(status), 'server_error'] as const),
  ['a long page of 503', html(503, {}, page + 'x'.repeat(3 * megabyte)), 'server_error'],
  ['a PDF', html(200, { 'Content-Type': 'application/pdf' }), 'not_html'],
  ['JSON', html(200, { 'Content-Type': 'application/json' }, '{}'), 'not_html'],
  ['no type and no HTML', (_, response) => response.end('%PDF-1.7'), 'not_html'],
  ['204', (_, response) => response.writeHead(204).end(), 'not_html'],
  ['a redirect without Location', html(302), 'not_html'],
  ['a redirect to no URL', html(302, { Location: 'http://' }), 'not_html'],
  ['300', html(300, { Location: '/a%20page' }), 'not_html'],
  ['a redirect in a circle', html(302, { Location: '?' }), 'too_many_redirects'],
  ['a redirect to a private address', html(302, { Location: 'http://10.0.0.1/' }), 'not_allowed'],
  [
    'a redirect to the metadata service',
    html(302, { Location: 'http://169.254.169.254/latest/meta-data/' }),
    'not_allowed',
  ],
  ['a redirect to a local name', html(302, { Location: 'http://router.lan/' }), 'not_allowed'],
  ['a redirect to another scheme', html(302, { Location: 'ftp://example.com/' }), 'not_allowed'],
  ['a redirect to a file', html(302, { Location: 'file:///etc/passwd' }), 'not_allowed'],
  ['a redirect with a user', html(302, { Location: 'https://user:secret@example.com/' }), 'not_allowed'],
  ['a redirect to a port', html(302, { Location: 'https://example.com:6379/' }), 'not_allowed'],
  ['2 MB and one byte', html(200, {}, Buffer.alloc(2 * megabyte + 1, 'a')), 'too_large'],
  ['2 MB', html(200, {}, page.padEnd(2 * megabyte)), null],
  ['scripts of frames four levels deep', html(200, {}, framed(4)), 'too_large'],
  ['frames four levels deep without scripts', html(200, {}, framed(4, 'p')), null],
  ['a gzip bomb', html(200, { 'Content-Encoding': 'gzip' }, gzipBomb), 'too_large'],
  ['a brotli bomb', html(200, { 'Content-Encoding': 'br' }, brotliBomb), 'too_large'],
  ['broken gzip', html(200, { 'Content-Encoding': 'gzip' }, 'not gzip at all'), 'connection_failed'],
  [
    'gzip that ends early',
    html(200, { 'Content-Encoding': 'gzip' }, gzipSync(page).subarray(0, 20)),
    'connection_failed',
  ],
  ['gzip five times', html(200, { 'Content-Encoding': 'gzip, gzip, gzip, gzip, gzip' }), 'connection_failed'],
  [
    'two members of gzip, of which browsers read the first',
    html(200, { 'Content-Encoding': 'gzip' }, Buffer.concat([gzipSync(page), gzipSync('no')])),
    null,
  ],
  ['gzip without a trailer', html(200, { 'Content-Encoding': 'gzip' }, gzipSync(page).subarray(0, -8)), null],
  ['gzip with a part of its trailer', html(200, { 'Content-Encoding': 'gzip' }, gzipSync(page).subarray(0, -3)), null],
  ['gzip of a name', html(200, { 'Content-Encoding': 'gzip' }, named(gzipSync(page))), null],
  ['deflate', html(200, { 'Content-Encoding': 'deflate' }, deflateSync(page)), null],
  ['deflate without a trailer', html(200, { 'Content-Encoding': 'deflate' }, deflateSync(page).subarray(0, -4)), null],
  ['deflate without a header', html(200, { 'Content-Encoding': 'deflate' }, deflateRawSync(page)), null],
  [
    'deflate that ends early',
    html(200, { 'Content-Encoding': 'deflate' }, deflateSync(page).subarray(0, 9)),
    'connection_failed',
  ],
  ['a charset for an encoding', html(200, { 'Content-Encoding': 'UTF-8' }), null],
  ['an unknown encoding', html(200, { 'Content-Encoding': 'zstd' }, '\x28\xb5\x2f\xfd\0'), 'connection_failed'],
  ['no headers', () => {}, 'timeout'],
  ['a drip', drip, 'timeout'],
  [
    'a body that stops',
    (_, response) => response.writeHead(200, { 'Content-Type': 'text/html', 'Content-Length': '100' }).write('a'),
    'timeout',
  ],
  ['a cut body', cutBody, 'connection_failed'],
  [
    'headers over 64 KB',
    html(200, { 'X-Flood': Array.from({ length: 70 }, () => 'a'.repeat(1_000)) }),
    'connection_failed',
  ],
  ['headers of 60 KB', html(200, { 'X-Flood': Array.from({ length: 60 }, () => 'a'.repeat(1_000)) }), null],
  ['a reset', (_, response) => response.socket?.resetAndDestroy(), 'connection_failed'],
]

/** A byte before each chunk's timeout, so that only the limit of the whole ends it. */
function drip(_: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { 'Content-Type': 'text/html' })
  const timer = setInterval(() => response.write('a'), 100)
  response.on('close', () => clearInterval(timer))
}

function cutBody(_: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { 'Content-Type': 'text/html', 'Content-Length': '100' })
  response.write('a', () => response.destroy())
}

/** For what never responds. */
const hurried = { idleMs: 300, pageMs: 1_000 }

let server: WebServer
const lookups: string[] = []

const resolve = (hostname: string) => {
  lookups.push(hostname)
  return Promise.reject(Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: 'ENOTFOUND' }))
}

beforeAll(async () => {
  server = await startWebServer((request, response) => {
    const respond = cases[Number(/^\/(\d+)/.exec(request.url ?? '')?.[1])]?.[1] ?? html()
    respond(request, response)
  })
})

afterAll(() => server.close())

test.each(cases.map(([name, , reason], index) => [name, reason, index] as const))(
  'a page with %s: %s',
  async (_, reason, index) => {
    const limits = reason === 'timeout' ? hurried : {}
    const scan = await scanUrl(`${server.origin}/${index}`, { limits, resolve })
    expect(scan).toMatchObject({ failureReason: reason, status: reason === null ? 'complete' : 'failed' })
    expect(readRecord(scans, JSON.stringify(scan), undefined)).not.toSatisfy(isLineError)
    if (reason !== null) expect(scan.failureMessage).toMatch(/^[\x20-\x7e]{10,300}$/)
    if (reason === 'not_allowed') expect(scan.failureMessage).toContain('OUTBOUND_ALLOWED')
    // No request left for where none should.
    expect(lookups).toEqual([])
  },
)

describe('a connection', () => {
  const tcp = async (onSocket: (socket: Socket) => void) => {
    const listener = createTcpServer((socket) => {
      socket.on('error', () => {})
      onSocket(socket)
    })
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
    return { port: (listener.address() as AddressInfo).port, close: () => listener.close() }
  }

  test('that is refused, garbage, or has no name fails', async () => {
    const garbage = await tcp((socket) => socket.end('this is no HTTP\r\n\r\n'))
    expect((await scanUrl(`http://127.0.0.1:${garbage.port}/`)).failureReason).toBe('connection_failed')
    garbage.close()
    expect((await scanUrl('http://127.0.0.1:1/')).failureReason).toBe('connection_failed')
    expect(await scanUrl('https://gone.example.com/', { resolve })).toMatchObject({
      failureReason: 'connection_failed',
      failureMessage: expect.stringContaining('ENOTFOUND'),
    })
  })

  const head = ['HTTP/1.1 200 OK', 'Content-Type: text/html', 'X-Frame-Options: DENY', 'Connection: close']
  const chunks = `${page.length.toString(16)}\r\n${page}\r\n0\r\n\r\n`
  const length = `Content-Length: ${page.length}`

  /** Bytes that Chromium shows, and of which the parser alone refuses many. */
  test.each<[name: string, bytes: string]>([
    ['lines that end with LF', `${[...head, length].join('\n')}\n\n${page}`],
    ['a folded line', `${[...head, 'X-A: a', '\tb', '  c', length].join('\r\n')}\r\n\r\n${page}`],
    ['a line folded by LF', `${head.join('\r\n')}\r\nX-A: a;\n b\r\n${length}\r\n\r\n${page}`],
    [
      'a length and chunks',
      `${[...head, 'Content-Length: 9', 'Transfer-Encoding: chunked'].join('\r\n')}\r\n\r\n${chunks}`,
    ],
    ['a space in a name', `${[...head, 'X Powered By: a', length].join('\r\n')}\r\n\r\n${page}`],
    ['a line without a colon', `${[...head, 'X-Powered-By', length].join('\r\n')}\r\n\r\n${page}`],
    [
      'a space before the colon',
      `${['HTTP/1.1 200 OK', 'Content-Type : text/html', 'X-Frame-Options \t: DENY'].join('\r\n')}\r\n\r\n${page}`,
    ],
    ['its length twice', `${[...head, length, length].join('\r\n')}\r\n\r\n${page}`],
    ['control characters', `${[...head, 'X-A: a\x01\x0b\x7f', length].join('\r\n')}\r\n\r\n${page}`],
    ['early hints', `HTTP/1.1 103 Early Hints\nLink : </a.css>\n\n${[...head, length].join('\n')}\n\n${page}`],
    ['neither length nor chunks', `${head.join('\r\n')}\r\n\r\n${page}`],
  ])('with %s is complete, however its bytes arrive', async (_, bytes) => {
    for (const size of [1, 50, bytes.length]) {
      const server = await tcp(async (socket) => {
        for (let at = 0; at < bytes.length; at += size) {
          socket.write(bytes.slice(at, at + size), 'latin1')
          await setImmediate()
        }
        socket.end()
      })
      const scan = await scanUrl(`http://127.0.0.1:${server.port}/`)
      expect(scan).toMatchObject({ failureMessage: null, status: 'complete', headers: { 'x-frame-options': 'DENY' } })
      server.close()
    }
  })

  test.each<[message: string, bytes: string]>([
    [
      '(HPE_UNEXPECTED_CONTENT_LENGTH: "Content-Length")',
      `${[...head, length, 'Content-Length: 9'].join('\r\n')}\r\n\r\n${page}`,
    ],
    ['(HPE_INVALID_CONSTANT: "this is no HTTP")', 'this is no HTTP\r\n\r\n'],
    ['(ECONNRESET)', `${[...head, 'Content-Length: 99'].join('\r\n')}\r\n\r\n${page}`],
    ['(ECONNRESET)', `${[...head, 'Transfer-Encoding: chunked'].join('\r\n')}\r\n\r\n${chunks.slice(0, -5)}`],
  ])('fails by a message with %s', async (message, bytes) => {
    const server = await tcp((socket) => socket.end(bytes, 'latin1'))
    const scan = await scanUrl(`http://127.0.0.1:${server.port}/`)
    expect(scan).toMatchObject({ failureReason: 'connection_failed', failureMessage: expect.stringContaining(message) })
    server.close()
  })

  test('that drips ends in time while garbage is collected', async () => {
    setFlagsFromString('--expose-gc')
    const collecting = setInterval(runInNewContext('gc') as () => void, 50)
    const slow = await startWebServer(drip)
    expect((await scanUrl(slow.origin, { limits: hurried })).failureReason).toBe('timeout')
    clearInterval(collecting)
    await slow.close()
  })

  test('with headers that come one by one ends in time', async () => {
    const slow = await tcp((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      const timer = setInterval(() => socket.write('X-A: b\r\n'), 100)
      socket.on('close', () => clearInterval(timer))
    })
    expect((await scanUrl(`http://127.0.0.1:${slow.port}/`, { limits: hurried })).failureReason).toBe('timeout')
    slow.close()
  })

  test('with a certificate that nobody signed, a wrong name, plain text or HTTP/2 alone is a TLS failure', async () => {
    const { key, cert } = makeCertificate()
    const own = await startWebServer(() => {}, createTlsServer({ key, cert }) as never)
    expect((await scanUrl(`https://127.0.0.1:${own.port}/`)).failureReason).toBe('tls_failure')
    await own.close()
    expect((await scanUrl(`https://127.0.0.1:${server.port}/`)).failureReason).toBe('tls_failure')
    const http2 = createSecureServer({ key, cert, allowHTTP1: false })
    await new Promise<void>((resolve) => http2.listen(0, '127.0.0.1', resolve))
    expect((await scanUrl(`https://127.0.0.1:${(http2.address() as AddressInfo).port}/`)).failureReason).toBe(
      'tls_failure',
    )
    http2.close()
  })
})
