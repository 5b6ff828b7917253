import type { RequestListener } from 'node:http'
import { expect, test, vi } from 'vitest'
import { scanUrl } from '../support/page-scan.ts'
import { startWebServer } from '../support/web-server.ts'

const html =
  (
    status = 200,
    headers: Readonly<Record<string, string | string[]>> = {},
    body = '<title>A page</title>',
  ): RequestListener =>
  (_, response) =>
    void response.writeHead(status, { 'Content-Type': 'text/html', ...headers }).end(body)

test('a page is fetched through ten redirects, and not through eleven', async () => {
  const chain = await startWebServer((request, response) => {
    const left = Number(request.url?.slice(1))
    return left > 0 ? html(302, { Location: `/${left - 1}` })(request, response) : html()(request, response)
  })
  expect((await scanUrl(`${chain.origin}/10`)).finalUrl).toBe(`${chain.origin}/0`)
  expect((await scanUrl(`${chain.origin}/11`)).failureReason).toBe('too_many_redirects')
  await chain.close()
})

test('a scan records the reporting headers that the page sends, its last response alone', async () => {
  const sent = { NEL: '{"report_to":"a"}', 'Reporting-Endpoints': ['a="/r"', 'b="/s"'], 'X-Other': '1' }
  const server = await startWebServer((request, response) =>
    (request.url === '/' ? html(302, { Location: '/a', 'Report-To': '{}' }) : html(200, sent))(request, response),
  )
  const { result } = await scanUrl(server.origin)
  expect(result?.reportingHeaders).toEqual({ nel: '{"report_to":"a"}', 'reporting-endpoints': 'a="/r", b="/s"' })
  await server.close()
})

test('a page is fetched where its redirect leads in UTF-8', async () => {
  const server = await startWebServer((request, response) => {
    const location = Buffer.from('/ü').toString('latin1')
    const respond = request.url === '/' ? html(302, { Location: location }) : html()
    respond(request, response)
  })
  expect((await scanUrl(server.origin)).finalUrl).toBe(`${server.origin}/%C3%BC`)
  await server.close()
})

test('a page that redirects to itself until its cookie is there is complete, and other hosts never get the cookie', async () => {
  const seen: (string | undefined)[] = []
  const other = await startWebServer((request, response) => {
    seen.push(request.headers.cookie)
    html()(request, response)
  })
  const setting = await startWebServer((request, response) => {
    if (request.headers.cookie !== 'a=1; b=2')
      html(302, { Location: '/', 'Set-Cookie': ['a=1; Path=/', 'b=2; Secure'] })(request, response)
    else html(302, { Location: `http://localhost:${other.port}/` })(request, response)
  })
  expect(await scanUrl(setting.origin)).toMatchObject({
    status: 'complete',
    finalUrl: `http://localhost:${other.port}/`,
  })
  expect(seen).toEqual([undefined])
  await Promise.all([setting.close(), other.close()])
})

test.each<[name: string, setCookie: string, sent: string | undefined]>([
  ['a cookie', 'b=2', 'a=1; b=2'],
  ['another value', 'a=2', 'a=2'],
  ['a deletion by Max-Age', 'a=; Max-Age=0; Path=/', undefined],
  ['a deletion by Expires', 'a=x; Expires=Thu, 01 Jan 1970 00:00:00 GMT', undefined],
  ['a deletion of another path', 'a=; Max-Age=0; Path=/other', 'a=1'],
  ['a cookie of another path', 'b=2; Path=/other', 'a=1'],
  ['a cookie of the path', 'b=2; Path=/next', 'b=2; a=1'],
  ['a cookie of another domain', 'b=2; Domain=example.com', 'a=1'],
  ['a cookie without a name', 'b', 'a=1; b'],
  ['no cookie at all', '\x01=\x02; Path', 'a=1'],
])('a redirect that sets %s sends what browsers send, to another port too', async (_, setCookie, sent) => {
  const seen: (string | undefined)[] = []
  const last = await startWebServer((request, response) => {
    seen.push(request.headers.cookie)
    html()(request, response)
  })
  const first = await startWebServer(({ url }, response) => {
    const step = url === '/' ? { Location: '/step', 'Set-Cookie': 'a=1' } : { Location: `${last.origin}/next/x` }
    // Bytes that writeHead refuses are in some.
    const lines = Object.entries({ 'Set-Cookie': setCookie, ...step }).map(([name, value]) => `${name}: ${value}`)
    response.socket?.end(`HTTP/1.1 302 Found\r\n${lines.join('\r\n')}\r\nContent-Length: 0\r\n\r\n`)
  })
  expect(await scanUrl(`${first.origin}/`)).toMatchObject({ status: 'complete' })
  expect(seen).toEqual([sent])
  await Promise.all([first.close(), last.close()])
})

test('a page is looked up once a connection, and each redirect to itself is checked anew', async () => {
  const answers = ['127.0.0.1', '127.0.0.1', '169.254.169.254']
  const resolve = async () => [{ address: answers.shift() ?? '', family: 4 }]
  const flipping = await startWebServer(html(302, { Location: '/' }))
  const url = `http://flipping.example.com:${flipping.port}/`
  const scan = await scanUrl(url, { resolve, allowed: [`flipping.example.com:${flipping.port}`] })
  expect(scan).toMatchObject({ failureReason: 'not_allowed', finalUrl: url, statusCode: 302 })
  expect(answers).toEqual([])
  await flipping.close()
})

test('a page is fetched by a connection of its own, and by no proxy', async () => {
  let connections = 0
  const counting = await startWebServer(html())
  counting.server.on('connection', () => connections++)
  vi.stubEnv('HTTP_PROXY', 'http://127.0.0.1:1')
  for (let scans = 0; scans < 3; scans++) expect(await scanUrl(counting.origin)).toMatchObject({ status: 'complete' })
  vi.unstubAllEnvs()
  expect(connections).toBe(3)
  await counting.close()
})

test('a page that is no payment page is read up to 64 KB', async () => {
  const long = await startWebServer(html(200, {}, `<title>A page</title>${' '.repeat(3_000_000)}`))
  expect(await scanUrl(long.origin, { listsScripts: false })).toMatchObject({ status: 'complete', scripts: null })
  expect(await scanUrl(long.origin)).toMatchObject({ failureReason: 'too_large', finalUrl: `${long.origin}/` })
  await long.close()
})

test('a page that takes longer to parse than it may is a timeout', async () => {
  const long = await startWebServer(html(200, {}, '<b>'.repeat(100_000)))
  expect(await scanUrl(long.origin, { limits: { parseMs: 0 } })).toMatchObject({ failureReason: 'timeout' })
  await long.close()
})

test('a page has its repeated headers apart', async () => {
  const repeating = await startWebServer(html(200, { 'X-Frame-Options': ['DENY', 'SAMEORIGIN'] }))
  expect((await scanUrl(repeating.origin)).headers?.['x-frame-options']).toBe('DENY\nSAMEORIGIN')
  await repeating.close()
})
