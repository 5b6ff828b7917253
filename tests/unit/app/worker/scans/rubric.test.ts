import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { gradePage } from '../../../../../app/worker/scans/rubric.ts'
import { numberOfCases } from '../../../../support/number-of-cases.ts'

type Sent = Readonly<Record<string, string | readonly string[]>>

const page = (sent: Sent, url = 'https://shop.example.com/') => ({
  url: new URL(url),
  statusCode: 200,
  headers: Object.entries(sent).flatMap(([name, lines]) => [lines].flat().map((line) => [name, line] as const)),
  originSent: null,
})

const grade = (sent: Sent, url?: string) => gradePage(page(sent, url))
const gradeText = (sent: Sent, url?: string) => {
  const { score, grade: letter } = grade(sent, url)
  return `${score} ${letter}`
}

const csp = 'content-security-policy'
const reportOnly = `${csp}-report-only`
const strict = "default-src 'none'; script-src 'nonce-a'; base-uri 'none'; frame-ancestors 'self'"

const everything: Sent = {
  [csp]: strict,
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'permissions-policy': 'camera=()',
}

const without = (header: string): Sent =>
  Object.fromEntries(Object.entries(everything).filter(([name]) => name !== header))
const withPolicy = (...policies: readonly string[]): Sent => ({ ...everything, [csp]: policies })

describe('a grade', () => {
  test.each<[says: string, sent: Sent, grade: string]>([
    ['nothing', {}, '15 F'],
    ['everything', everything, '100 A+'],
    ['no policy', without(csp), '70 C'],
    ['a report-only policy', { ...without(csp), [reportOnly]: strict }, '75 B'],
    ['unsafe-inline', withPolicy("default-src 'none'; script-src 'self' 'unsafe-inline'; base-uri 'none'"), '80 B'],
    ['default-src *', withPolicy('default-src *'), '70 C'],
    ['two policies of which one is strict', withPolicy('default-src *', strict), '100 A+'],
    ['two policies on one line', withPolicy(`default-src *, ${strict}`), '100 A+'],
    [
      'two policies with weaknesses of their own',
      withPolicy("script-src *; object-src 'none'; base-uri 'none'", "script-src 'self'"),
      '100 A+',
    ],
  ])('of %s', (_, sent, expected) => {
    expect(gradeText(sent)).toBe(expected)
  })

  test.each<[points: number, header: string, value: string | readonly string[]]>([
    ...['https:', 'http:', 'data:', '*', 'https://*', '*:*'].map((from): [number, string, string] => [
      20,
      csp,
      `default-src 'none'; script-src ${from}; base-uri 'none'`,
    ]),
    [20, csp, "default-src 'none'; script-src https: 'strict-dynamic'; base-uri 'none'"],
    [20, csp, "default-src 'none'; script-src https: 'nonce-a'; base-uri 'none'"],
    [0, csp, "default-src 'none'; script-src https: 'strict-dynamic' 'nonce-a'; base-uri 'none'"],
    [0, csp, "default-src 'none'; script-src https: 'strict-dynamic' 'sha256-YQ=='; base-uri 'none'"],
    [0, csp, "default-src 'none'; script-src blob: a.example.com; base-uri 'none'"],
    [20, csp, "default-src 'none'; script-src 'self' 'unsafe-inline'; base-uri 'none'"],
    [20, csp, "default-src 'none'; script-src 'self'; script-src-attr 'unsafe-inline'; base-uri 'none'"],
    [0, csp, "default-src 'none'; script-src 'self' 'unsafe-inline' 'nonce-a'; base-uri 'none'"],
    [10, csp, "default-src 'none'; script-src 'self' 'unsafe-eval'; base-uri 'none'"],
    [5, csp, "default-src 'self'; base-uri 'none'"],
    [5, csp, "default-src 'none'"],
    [30, csp, "img-src 'self'"],
    [30, csp, ''],
    [30, csp, 'upgrade-insecure-requests'],
    [20, 'strict-transport-security', 'max-age=0'],
    [20, 'strict-transport-security', 'max-age=31536000; Max-Age=0'],
    [20, 'strict-transport-security', 'max-age=31536000; includeSubDomains; includeSubDomains'],
    [20, 'strict-transport-security', 'max-age=31536000\xa0'],
    [0, 'strict-transport-security', 'max-age=31536000; preload;'],
    [20, 'strict-transport-security', 'includeSubDomains'],
    [20, 'strict-transport-security', 'x-max-age=31536000'],
    [10, 'strict-transport-security', 'max-age=15767999'],
    [0, 'strict-transport-security', 'includeSubDomains;MAX-AGE="15768000"'],
    [10, 'strict-transport-security', ['max-age=300', 'max-age=31536000']],
    [5, 'x-content-type-options', 'sniff'],
    [0, 'x-content-type-options', ['NoSniff', 'other']],
    [10, 'referrer-policy', 'unsafe-url'],
    [10, 'referrer-policy', 'origin'],
    [10, 'referrer-policy', 'no-referrer-when-downgrade'],
    [10, 'referrer-policy', 'no-referrer, Origin-When-Cross-Origin'],
    [5, 'referrer-policy', 'made-up'],
    [0, 'referrer-policy', 'unsafe-url, same-origin, made-up'],
    [5, 'permissions-policy', ' '],
    ...[
      'camera=(); microphone=()',
      "camera 'none'",
      'camera=*',
      'camera=(self *)',
      'Camera=()',
      'camera=(),',
      'camera=(), camera=*',
      'camera=("*")',
      'made-up=()',
    ].map((value): [number, string, string] => [5, 'permissions-policy', value]),
    ...[
      'camera',
      'camera=1',
      'camera=none',
      'camera=(src)',
      'camera=*, camera=()',
      'camera=("https://a.test");report-to=x',
    ].map((value): [number, string, string] => [0, 'permissions-policy', value]),
    [0, 'permissions-policy', ['camera=*', 'microphone=()']],
    [5, 'x-content-type-options', 'nosniff\xa0'],
    [5, 'x-content-type-options', ', nosniff'],
    [
      10,
      csp,
      ["script-src 'unsafe-inline'; script-src-elem 'self'", "script-src 'unsafe-inline'; script-src-attr 'none'"],
    ],
    [0, csp, ["object-src 'none'; base-uri 'none'", "script-src 'self'"]],
    [20, csp, "default-src 'none'; script-src 'self' 'unsafe-inline'; base-uri 'none'; script-src-elem 'self'\v"],
    ...['$request_id', '', 'a===', '*', 'a=b'].map((nonce): [number, string, string] => [
      20,
      csp,
      `script-src 'self' 'unsafe-inline' 'nonce-${nonce}'; object-src 'none'; base-uri 'none'`,
    ]),
    [
      20,
      csp,
      "script-src 'self' 'unsafe-inline' 'nonce-{{ x }}' 'sha256-$x' 'sha256-A'; object-src 'none'; base-uri 'none'",
    ],
    [0, csp, "script-src 'self' 'unsafe-inline' 'sha-256-AAAA'; object-src 'none'; base-uri 'none'"],
    [0, csp, "default-src 'none'; base-uri 'none'; default-src *"],
  ])('loses %i by %s: %s', (points, header, value) => {
    // Framing is limited by X-Frame-Options.
    expect(grade({ ...everything, [header]: value }).score).toBe(100 - points)
  })

  test.each<[points: number, frameOptions: string | readonly string[], policy: string]>([
    [0, [], "frame-ancestors 'none'"],
    [0, [], 'frame-ancestors https://a.example.com'],
    [20, [], 'frame-ancestors *'],
    [20, [], 'frame-ancestors https:'],
    [0, [], 'frame-ancestors data:'],
    [20, [], 'frame-src *'],
    [0, 'sameorigin', ''],
    [0, ['DENY', 'deny'], ''],
    [0, ['DENY', 'SAMEORIGIN'], ''],
    [0, 'allowall, foo', ''],
    [0, 'foo, deny', ''],
    [20, 'foo, bar', ''],
    [20, 'allowall', ''],
    [20, 'DENY\xa0', ''],
    [20, 'DENY', 'frame-ancestors *'],
    [0, 'foo', "frame-ancestors 'self'"],
    [20, 'ALLOW-FROM https://a.example.com', ''],
  ])('loses %i by frame options %s with %s', (points, frameOptions, policy) => {
    const own = "default-src 'none'; base-uri 'none'"
    expect(grade({ ...withPolicy(`${own}; ${policy}`), 'x-frame-options': frameOptions }).score).toBe(100 - points)
  })

  test('counts policies of meta for all but framing', () => {
    const points = (policy: string, sent = without(csp)) =>
      100 - gradePage(page(sent), { scripts: [], policies: [policy] }).score
    expect(points(strict)).toBe(0)
    expect(points("script-src *, default-src 'none'; base-uri 'none'")).toBe(0)
    expect(points('default-src *', everything)).toBe(0)
    expect(points(strict, { ...without(csp), 'x-frame-options': [] })).toBe(20)
    expect(points('frame-ancestors *', { ...without(csp) })).toBe(30)
  })

  test('loses 20 by a script over http on an https page, where no policy upgrades it', () => {
    const points = (url: string, sent: Sent = everything) => {
      const scripts = [{ src: url, url: new URL(url), integrity: null }]
      return 100 - gradePage(page(sent), { scripts, policies: [] }).score
    }
    expect(points('http://a.example.com/a.js')).toBe(20)
    expect(points('https://a.example.com/a.js')).toBe(0)
    expect(points('http://localhost/a.js')).toBe(0)
    expect(points('http://a.example.com/a.js', withPolicy(`${strict}; upgrade-insecure-requests`))).toBe(0)
  })

  test('loses 40 by http, where HSTS does not count, and nothing on this machine', () => {
    expect(gradeText(everything, 'http://shop.example.com/')).toBe('40 F')
    for (const host of ['localhost:8788', '127.0.0.1', '[::1]:80']) {
      expect(gradeText(everything, `http://${host}/`)).toBe('100 A+')
    }
    expect(gradeText({}, 'http://shop.example.com/')).toBe('0 F')
  })
})

test('the result has each header, its findings, and next steps with the dearest first', () => {
  const { result } = grade({ ...everything, [csp]: "script-src 'unsafe-inline' 'self'", 'permissions-policy': [] })
  expect(result.headers.map(({ header, status, points }) => [header, status, points])).toEqual([
    [csp, 'fail', 30],
    ['https', 'pass', 0],
    ['strict-transport-security', 'pass', 0],
    ['x-frame-options', 'pass', 0],
    ['x-content-type-options', 'pass', 0],
    ['referrer-policy', 'pass', 0],
    ['permissions-policy', 'warn', 5],
  ])
  expect(result.headers[0]).toMatchObject({
    finding: "Inline scripts run: 'unsafe-inline'; object-src is not 'none'; No base-uri",
    advice: "Replace 'unsafe-inline' by nonces or hashes",
  })
  expect(result.headers[1]).toMatchObject({ finding: 'In place', advice: null })
  expect(result.nextSteps.map(({ header, points }) => [header, points])).toEqual([
    [csp, 20],
    [csp, 5],
    [csp, 5],
    ['permissions-policy', 5],
  ])
  expect(result.headline).toBe("C: Replace 'unsafe-inline' by nonces or hashes")
  expect(grade(everything).result).toMatchObject({ headline: 'A+: every header is in place', nextSteps: [] })
})

const source = fc
  .constantFrom("'self'", "'none'", '*', 'https:', 'data:', "'unsafe-inline'", "'unsafe-eval'")
  .filter(Boolean)
const sources = fc.array(fc.oneof(source, fc.constantFrom("'nonce-a'", "'strict-dynamic'", 'a.example.com')), {
  maxLength: 4,
})
const directive = fc
  .tuple(
    fc.constantFrom('default-src', 'script-src', 'script-src-attr', 'object-src', 'base-uri', 'frame-ancestors'),
    sources,
  )
  .map(([name, values]) => [name, ...values].join(' '))
const policy = fc.array(directive, { maxLength: 4 }).map((directives) => directives.join('; '))
const headers: fc.Arbitrary<Sent> = fc.record({
  [csp]: fc.array(policy, { maxLength: 2 }),
  [reportOnly]: fc.array(policy, { maxLength: 1 }),
  'strict-transport-security': fc.constantFrom([], ['max-age=1'], ['max-age=99999999']),
  'x-frame-options': fc.constantFrom([], ['deny'], ['deny', 'sameorigin']),
  'referrer-policy': fc.constantFrom([], ['origin'], ['no-referrer']),
})

describe('a score', () => {
  const check = (...properties: Parameters<typeof fc.assert>) =>
    fc.assert(properties[0], { numRuns: numberOfCases(300) })
  const score = (sent: Sent, url?: string) => grade(sent, url).score
  const add = (sent: Sent, header: string, line: string): Sent => ({
    ...sent,
    [header]: [sent[header] ?? [], line].flat(),
  })

  test('is no less with one more policy, enforced or report-only', () => {
    check(
      // One with frame-ancestors takes X-Frame-Options out of force.
      fc.property(
        headers,
        policy.filter((text) => !text.includes('frame-ancestors')),
        fc.constantFrom(csp, reportOnly),
        (sent, more, header) => {
          expect(score(add(sent, header, more))).toBeGreaterThanOrEqual(score(sent))
        },
      ),
    )
  })

  test('is no more with a source of scripts more that is no nonce, hash or strict-dynamic', () => {
    check(
      fc.property(
        headers,
        sources,
        source.filter((one) => one !== "'none'"),
        (sent, values, more) => {
          const having = (list: readonly string[]) => ({ ...sent, [csp]: `script-src ${list.join(' ')}` })
          expect(score(having([...values, more]))).toBeLessThanOrEqual(score(having(values)))
        },
      ),
    )
  })

  test('is no less over https, with a longer HSTS, and with a header that was missing', () => {
    check(
      fc.property(headers, fc.nat(40_000_000), fc.nat(40_000_000), (sent, age, more) => {
        const having = (seconds: number) => score({ ...sent, 'strict-transport-security': `max-age=${seconds}` })
        expect(score(sent)).toBeGreaterThanOrEqual(score(sent, 'http://shop.example.com/'))
        expect(having(age + more)).toBeGreaterThanOrEqual(having(age))
        expect(having(age)).toBeGreaterThanOrEqual(score({ ...sent, 'strict-transport-security': [] }))
        for (const [header, value] of [
          ['x-content-type-options', 'nosniff'],
          ['permissions-policy', 'camera=()'],
        ] as const) {
          expect(score({ ...sent, [header]: value })).toBeGreaterThanOrEqual(score(sent))
        }
      }),
    )
  })

  test('is 100 less the points of its headers, which are those of its next steps', () => {
    check(
      fc.property(headers, (sent) => {
        const { score: total, result } = grade(sent)
        const sum = (list: readonly { readonly points: number }[]) => list.reduce((all, { points }) => all + points, 0)
        expect(total).toBe(100 - sum(result.headers))
        expect(sum(result.nextSteps)).toBe(sum(result.headers))
      }),
    )
  })
})
