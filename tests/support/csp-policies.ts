/** @module Random policies and requests over few hosts, so that they meet. */

import fc from 'fast-check'
import type { ObservedRequest } from '../../schema/rules/csp/observed-request.ts'
import { observed } from './csp-cases.ts'

const hosts = ['page.test', 'a.test', 'sub.a.test', 'b.test', '192.0.2.1']
const paths = ['', '/', '/x', '/x/', '/X/y.js', '/x/%79.js', '/1/2/3/4/5']
const ports = ['', ':443', ':80', ':8443', ':*']

const aHostSource = fc
  .tuple(
    fc.constantFrom('', 'http://', 'https://', 'ws://', 'wss://', 'HTTPS://'),
    fc.constantFrom(...hosts, '*.a.test', '*', 'A.test'),
    fc.constantFrom(...ports),
    fc.constantFrom(...paths),
  )
  .map((parts) => parts.join(''))

export const aUrlSource = fc.oneof(
  { weight: 3, arbitrary: aHostSource },
  fc.constantFrom("'self'", '*', 'https:', 'http:', 'data:', 'blob:', 'ws:', 'wss:'),
)

const aKeyword = fc.constantFrom(
  ...["'none'", "'unsafe-inline'", "'unsafe-eval'", "'wasm-unsafe-eval'", "'strict-dynamic'", "'unsafe-hashes'"],
  ...["'report-sample'", "'nonce-abc'", "'Nonce-dEf='", "'script'", 'one', "'allow-duplicates'", "'SELF'"],
  // Of `go()`.
  "'sha256-5KYv+PUboo5h+0+YAtGRPbwv5d/QxzHslP4YGnUaxRw='",
)

const directiveNames = [
  ...['default-src', 'script-src', 'script-src-elem', 'script-src-attr', 'style-src', 'style-src-elem'],
  ...['style-src-attr', 'img-src', 'connect-src', 'font-src', 'frame-src', 'child-src', 'worker-src', 'object-src'],
  ...['base-uri', 'form-action', 'frame-ancestors', 'require-trusted-types-for', 'trusted-types'],
]

const aDirective = fc
  .tuple(
    fc.constantFrom(...directiveNames, 'IMG-SRC', 'Script-Src'),
    fc.array(fc.oneof(aUrlSource, aKeyword), { maxLength: 4 }),
  )
  .map(([name, values]) => [name, ...values].join(' '))

export const aPolicy = fc.array(aDirective, { minLength: 1, maxLength: 6 }).map((directives) => directives.join('; '))

const aBlockedUrl = fc
  .tuple(
    fc.constantFrom('http://', 'https://', 'ws://', 'wss://'),
    fc.constantFrom(...hosts),
    fc.constantFrom('', ':8443', ':81'),
    fc.constantFrom(...paths),
  )
  .map((parts) => parts.join(''))

const aKeywordOfReports = fc.constantFrom('inline', 'eval', 'wasm-eval', 'data', 'blob', '', 'self', 'chrome-extension')

export const aRequest: fc.Arbitrary<ObservedRequest> = fc
  .record({
    directive: fc.constantFrom(...directiveNames),
    blockedUrl: fc.oneof({ weight: 2, arbitrary: aBlockedUrl }, aKeywordOfReports),
    sample: fc.constantFrom('', 'go()', 'one', 'two', 'javascript:void(0)', 'x'.repeat(40)),
    documentUrl: fc.constantFrom('https://page.test/', 'http://page.test/p?q', 'https://page.test:8443/', 'about'),
  })
  .map(({ documentUrl, ...request }) => {
    const trusted = { 'require-trusted-types-for': 'trusted-types-sink', 'trusted-types': 'trusted-types-policy' }
    const blockedUrl = trusted[request.directive as keyof typeof trusted] ?? request.blockedUrl
    return observed(documentUrl, { ...request, blockedUrl })
  })
