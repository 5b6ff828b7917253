/** @module Pages of public bug reports, which browsers read otherwise than a simple reader, and a server of raw bytes. */

import { type AddressInfo, createServer } from 'node:net'
import { gzipSync } from 'node:zlib'

export interface OddPage {
  /** Each character is a byte. */
  readonly head: string
  readonly body: Buffer
}

interface Framing {
  readonly start?: string
  readonly type?: string
  readonly eol?: string
  readonly framing?: keyof typeof framings
}

const chunked = (body: Buffer) =>
  Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')])

export const framings = {
  length: (body: Buffer) => [`Content-Length: ${body.length}`],
  'length twice': (body: Buffer) => [`Content-Length: ${body.length}`, `content-length: ${body.length}`],
  close: () => [],
  chunked: () => ['Transfer-Encoding: chunked'],
  'length and chunked': () => ['Content-Length: 9999', 'Transfer-Encoding: chunked'],
}

export function made(lines: readonly string[], markup: string | Buffer, options: Framing = {}): OddPage {
  const { start = 'HTTP/1.1 200 OK', type = 'text/html', eol = '\r\n', framing = 'length' } = options
  const body = Buffer.from(markup)
  const all = [start, `Content-Type: ${type}`, ...lines, ...framings[framing](body), 'Connection: close', '', '']
  return { head: all.join('\n').replaceAll('\n', eol), body: framing.endsWith('chunked') ? chunked(body) : body }
}

export const start = '<!doctype html><title>shown</title>'
export const scripts = '<body onload="window.handler = 1"><script>window.inline = 1</script>'
const shown = start + scripts

const strict = "default-src 'self'; script-src 'self'; object-src 'none'; base-uri 'none'"
const good = ['X-Frame-Options: DENY', 'X-Content-Type-Options: nosniff', 'Permissions-Policy: camera=()']
const without = (name: string) => good.filter((line) => !line.startsWith(name))
export const policy = (text: string) => `Content-Security-Policy: ${text}`

/** Of public bug reports. */
export const handed: Readonly<Record<string, OddPage>> = {
  'a policy of several lines': made([...good, policy(strict.replaceAll('; ', ';\n   '))], shown),
  'lines that end with LF': made([...good, policy(strict)], shown, { eol: '\n' }),
  'a length beside chunks': made([...good, policy(strict)], shown, { framing: 'length and chunked' }),
  'a name with a blank': made([...good, policy(strict), 'X Powered By: Shop'], shown),
  'a charset for an encoding': made([...good, 'Content-Encoding: UTF-8'], shown),
  'gzip without a trailer': made([...good, 'Content-Encoding: gzip'], gzipSync(shown).subarray(0, -8)),
  'frame-ancestors * beside DENY': made([...good, policy(`${strict}; frame-ancestors *`)], shown),
  'SAMEORIGIN and DENY': made([policy(strict), 'X-Frame-Options: SAMEORIGIN', 'X-Frame-Options: DENY'], shown),
  'features between semicolons': made(['Permissions-Policy: camera=(); microphone=(); geolocation=()'], shown),
  'a placeholder for a nonce': made([policy("script-src 'self' 'unsafe-inline' 'nonce-$request_id'")], shown),
  'nosniff before U+00A0': made([...without('X-Content'), 'X-Content-Type-Options: nosniff\xa0'], shown),
  'scripts in every place': made(
    [...good, policy(strict)],
    `${shown}
    <div><template shadowrootmode="open"><script src="/s/shadow"></script></template></div>
    <template><script src="/s/template"></script></template>
    <noscript><script src="/s/noscript"></script></noscript>
    <script src="/s/plain"></script>
    <script for="window" event="onclick" src="/s/for-event"></script>
    <iframe srcdoc="&lt;script src=/s/srcdoc&gt;&lt;/script&gt;"></iframe>
    <!--[if IE]><script src="/s/ie"></script><![endif]-->
    <textarea><script src="/s/textarea"></script></textarea>
    <div><template shadowrootmode="closed"><template><script src="/s/inner"></script></template><script src="/s/closed"></script></template></div>
    <select><option><script src="/s/select"></script></option></select>
    <script type="module" src="/s/module"></script>`,
  ),
}

export interface OddServer {
  readonly port: number
  /** At every path below /page. */
  page: OddPage
  close(): void
}

/** A cookie that is set, then deleted: a page that still gets it redirects for ever. */
function cookiePage(path: string, request: string): OddPage {
  const isSecond = path === '/cookie/2'
  if (isSecond && !/^cookie:.*probe=/im.test(request)) return made([], shown)
  const cookie = `Set-Cookie: probe=1; Path=/${isSecond ? '; Max-Age=0' : ''}`
  return made(['Location: /cookie/2', cookie], '', { start: 'HTTP/1.1 302 Found' })
}

export async function serveOddPages(): Promise<OddServer> {
  function pageOf(path: string, request: string): OddPage {
    if (path.startsWith('/s/'))
      return made([], `top.ran = [...(top.ran ?? []), '${path}']`, { type: 'text/javascript' })
    if (path.startsWith('/cookie')) return cookiePage(path, request)
    if (path === '/frame') return made([], '<iframe></iframe>')
    if (path.startsWith('/page')) return served.page
    // A script of the wrong type, as sniffable as the page.
    return made(served.page.head.match(/^x-content-type-options:.*/gim) ?? [], '', { type: 'text/plain' })
  }
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', (chunk) => {
      const request = chunk.toString('latin1')
      const { head, body } = pageOf(/^\S+ (\S+)/.exec(request)?.[1] ?? '', request)
      socket.end(Buffer.concat([Buffer.from(head, 'latin1'), body]))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const served: OddServer = { port, page: made([], ''), close: () => void server.close() }
  return served
}
