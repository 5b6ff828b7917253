/** @module Random pages: heads, policies and markup that browsers and simple parsers read differently. */

import { deflateSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { framings, made, type OddPage, policy, scripts, start } from './odd-pages.ts'

const oneOf = (...values: string[]) => fc.constantFrom(...values)
const listOf = (value: fc.Arbitrary<string>, separator: string, maxLength = 3) =>
  fc.array(value, { maxLength }).map((values) => values.join(separator))

const aSource = fc.oneof(
  oneOf("'self'", '*', 'http:', 'https:', 'data:', "'none'", "'unsafe-eval'", 'any.test:*', '*.odd.localhost:*', '*:*'),
  oneOf("'unsafe-inline'", "'UNSAFE-inline'", "'strict-dynamic'", "'unsafe-hashes'", "'report-sample'", 'http://*:*'),
  oneOf("'nonce-abc'", "'nonce-$id'", "'nonce-{{'", "'nonce-a==='", "'nonce-a_-/+='", "'nonce-'", "'NONCE-abc'"),
  oneOf("'sha256-AAAA'", "'sha-256-AAAA'", "'sha256-$x'", "'sha256-A'", "'sha512-AA=='", "'sha256-AAA==='"),
  oneOf("'sha1-AAAA'", 'nonce-abc', 'c_x.test', '//any.test', 'any.test:*/s?x', 'ü.test', "'inline'", '"self"', 'self'),
  oneOf("'unsafe-inline'\v", "'unsafe-inline'\f'self'", "''", 'http://', "'unsafe-inline'\xa0"),
)

const aDirective = fc
  .tuple(
    oneOf(
      'default-src',
      'script-src',
      'Script-Src',
      'script-src-elem',
      'script-src-attr',
      'img-src',
      'object-src',
      'x',
    ),
    listOf(aSource, ' ', 4),
  )
  .map((parts) => parts.join(' '))

const anAncestor = oneOf(
  "'self'",
  '*',
  "'none'",
  'http:',
  'http://*:*',
  'a.test',
  '*:*',
  'data:',
  "'nonce-a'",
  'c_x.test',
)
const ancestors = listOf(anAncestor, ' ', 2).map((sources) => `frame-ancestors ${sources}`)

const aPolicy = oneOf('; ', ';', ';\n  ', ' ,', ';;').chain((separator) =>
  listOf(fc.oneof({ weight: 3, arbitrary: aDirective }, ancestors, oneOf('', ' ', 'base-uri')), separator, 4),
)

const aFeature = fc
  .tuple(
    oneOf('camera', 'microphone', 'geolocation', 'interest-cohort', 'fullscreen', 'made-up', 'Camera', 'ch-ua'),
    fc.oneof(
      oneOf('=()', '=*', '=(self)', '=self', '', '=(self *)', '=("https://a.test")', "='none'", '=none', '=(src)'),
      oneOf('=?0', '=();report-to=x', '=(*)', '=("*")', ' ()', '=(self "x")', '=1', '="*"'),
    ),
  )
  .map((parts) => parts.join(''))
const features = oneOf(', ', ',', ';', ',,', ' , ').chain((separator) => listOf(aFeature, separator))

const aHeader = fc.oneof(
  aPolicy.map(policy),
  aPolicy.map((text) => `content-security-policy:${text}`),
  aPolicy.map((text) => `Content-Security-Policy-Report-Only: ${text}`),
  features.map((value) => `Permissions-Policy: ${value}`),
  fc
    .oneof(
      oneOf(
        'DENY',
        'SAMEORIGIN',
        'sameorigin ',
        'ALLOWALL',
        'ALLOW-FROM http://a.test',
        '"DENY"',
        'DENY\xa0',
        '',
        'foo',
      ),
      oneOf('deny, SAMEORIGIN', 'ALLOWALL, foo', 'foo, bar', 'DENY;', ',DENY', ' , ', 'deny,deny', 'DENY, ALLOWALL'),
    )
    .map((value) => `X-Frame-Options: ${value}`),
  oneOf('nosniff', 'NOSNIFF, x', 'x, nosniff', 'nosniff\xa0', '"nosniff"', ', nosniff', ' nosniff\t').map(
    (value) => `X-Content-Type-Options: ${value}`,
  ),
  oneOf('X Powered By: Shop', 'X-Odd : a', 'a line', ': no name', 'X-Control: a\x01b', 'X-Bytes: \xfc\xff', 'X@Y: 1'),
  oneOf('X-Folded: a\n\tb', 'X-Empty:', 'X"Y: 1', 'Set-Cookie: a=b; Path=/', 'Strict-Transport-Security: max-age=1'),
)

const aMeta = fc
  .tuple(
    oneOf(
      '|',
      '<body>|',
      '<template>|</template>',
      '<noscript>|</noscript>',
      '<p>|',
      '<!--|-->',
      '<style></style>|',
      'x|',
    ),
    aPolicy.filter((text) => !text.includes('"')),
    oneOf('Content-Security-Policy', 'content-security-policy', 'Content-Security-Policy-Report-Only'),
  )
  .map(([place, text, name]) => place.replace('|', () => `<meta http-equiv="${name}" content="${text}">`))

const codings: readonly (readonly [line: string[], encode: (body: Buffer) => Buffer])[] = [
  [[], (body) => body],
  [['Content-Encoding: UTF-8'], (body) => body],
  [['Content-Encoding: identity'], (body) => body],
  [['Content-Encoding: gzip'], (body) => gzipSync(body)],
  [['Content-Encoding:  x-gzip '], (body) => gzipSync(body).subarray(0, -8)],
  [['Content-Encoding: deflate'], (body) => deflateSync(body).subarray(0, -4)],
]

export const aPage: fc.Arbitrary<OddPage> = fc
  .record({
    headers: fc.array(aHeader, { maxLength: 5 }),
    meta: fc.oneof({ weight: 3, arbitrary: fc.constant('') }, aMeta),
    coding: fc.constantFrom(...codings),
    options: fc
      .record({
        start: oneOf(
          'HTTP/1.1 200 OK',
          'HTTP/1.1 200',
          'HTTP/1.0 200 OK',
          'HTTP/1.1 404 Not Found',
          'HTTP/1.1 200 \xfc',
        ),
        eol: oneOf('\r\n', '\r\n', '\n'),
        framing: fc.constantFrom(...(Object.keys(framings) as (keyof typeof framings)[])),
      })
      // Without chunks in HTTP/1.0 the body is short, and Chromium's page never loads.
      .filter(({ start, framing }) => !(start.startsWith('HTTP/1.0') && framing === 'length and chunked')),
  })
  .map(({ headers, meta, coding: [line, encode], options }) =>
    made([...headers, ...line], encode(Buffer.from(start + meta + scripts)), options),
  )

const aScript = fc.nat(999).map((at) => `<script src=/s/${at}></script>`)
const words = (text: string) => text.split(' ')
const anOpening = oneOf(
  ...words('div p span b a table tr td h1 button select option svg math mi foreignObject title desc x-y form nobr').map(
    (name) => `<${name}>`,
  ),
  ...words('body head html br img input hr dd noscript style iframe textarea object caption col').map(
    (name) => `<${name}>`,
  ),
  ...[
    '<template>',
    '<template shadowrootmode=open>',
    '<template shadowrootmode=CLOSED>',
    '<template shadowrootmode=x>',
  ],
  ...['<!--', '<![CDATA[', '<ul><li>', '<font color=x>', '<base href=/s/>'],
)
const aClosing = oneOf(
  ...words('div p span b a li ul table tr td h1 h2 button select svg math title x-y form nobr body head html br').map(
    (name) => `</${name}>`,
  ),
  ...words('template template noscript style iframe textarea object caption script').map((name) => `</${name}>`),
  ...['-->', ']]>', ' ', 'text'],
)

/** Elements that open and close in any order, with scripts of /s/. */
export const aDocument: fc.Arbitrary<OddPage> = fc
  .array(fc.oneof(aScript, anOpening, aClosing), { maxLength: 40 })
  .map((parts) => made([], `<!doctype html>${parts.join('')}`))
