import { describe, expect, test } from 'vitest'
import { isLineError } from '../../../../../app/import/ndjson/line-error.ts'
import { readElement, readPost, withElements } from '../../../../../app/import/normalise/post.ts'
import { normalised } from '../../../../support/normalised.ts'

const receivedAt = Date.UTC(2026, 10, 20, 10)
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const crash = { type: 'crash', age: 0, url: 'https://a.test/', body: { reason: 'oom' } }
const legacy = { 'csp-report': { 'document-uri': 'https://a.test/', 'blocked-uri': 'inline' } }

/** A line of go-csp-collector with its option `--output-format json`. */
const logged = {
  blocked_uri: 'https://cdn.test/a.js',
  column_number: 7,
  disposition: 'enforce',
  document_uri: 'https://a.test/',
  effective_directive: 'script-src-elem',
  level: 'info',
  line_number: 3,
  message: '',
  metadata: null,
  original_policy: "script-src 'self'",
  path: '/csp',
  referrer: '',
  report_only: false,
  script_sample: '',

  source_file: '',
  status_code: 200,
  timestamp: '2026-11-20T11:00:00+01:00',
  violated_directive: 'script-src-elem',
}

const names = ['receivedAt', 'received_at', 'timestamp', '@timestamp', 'date', 'time']

const readPostOf = (line: unknown) => {
  const post = readPost(line, receivedAt)
  if (isLineError(post)) throw new Error(post.reason)
  return post
}

describe('a receipt time', () => {
  test.each(names)('is read from %s, wherever it is', (name) => {
    const time = { [name]: receivedAt / 1000 }
    const { timestamp: _, ...untimed } = logged
    for (const line of [
      ...[
        { ...time, body: [] },
        { ...time, ...crash },
        { ...time, ...legacy },
        { ...time, ...untimed },
      ],
      ...[{ body: { ...time, ...legacy } }, { message: JSON.stringify({ ...time, ...crash }) }],
    ]) {
      const { elements, ...post } = readPostOf(line)
      expect(post, JSON.stringify(line)).toMatchObject({ receivedAt })
      expect(
        elements.flatMap((element) => readElement(element)),
        name,
      ).toEqual(elements.map(() => expect.objectContaining({ rest: new Map() })))
    }
  })

  test('of a wrapper wins, and what a report has beside it is a member that nothing reads', () => {
    const { receivedAt: time, elements } = readPostOf({ date: receivedAt, body: { ...legacy, receivedAt: 5, note: 1 } })
    expect(time).toBe(receivedAt)
    expect(readElement(elements[0])).toMatchObject({
      rest: new Map([
        ['receivedAt', 5],
        ['note', 1],
      ]),
    })
  })

  test.each([
    '2026-11-20T10:00:00+0000',
    '2026-11-20 11:00:00 +0100',
    '2026-11-20 10:00:00 UTC',
    '2026-11-20T10:00:00.000000Z',
    '2026-11-20 10:00:00.000000000 +0000',
  ])('is %s', (time) => {
    expect(readPostOf({ time, body: [] })).toMatchObject({ receivedAt })
  })

  test('receivedAt comes before the time that a log shipper adds', () => {
    const post = { date: 5, '@timestamp': 6, timestamp: 7, receivedAt, body: [] }
    expect(readPostOf(post)).toMatchObject({ receivedAt })
  })

  test.each(names.filter((name) => name !== 'received_at'))(
    'of a wrong value rejects the line with its name, %s',
    (name) => {
      for (const line of [
        { [name]: 'today', body: [] },
        { [name]: 'today', ...crash },
      ]) {
        const post = readPost(line)
        expect(isLineError(post) && post.reason).toMatch(new RegExp(`^${name} is neither an RFC 3339 time nor`))
      }
    },
  )
})

describe.each([
  ['as text in a message', (body: unknown) => ({ message: JSON.stringify(body) })],
  ['with members beside its own', (body: object) => body],
])('a report %s', (_name, wrap) => {
  test.each([
    ['an envelope', crash, 'crash'],
    ['a legacy report', legacy, 'csp-violation'],
  ])('has the time and the user agent of its line, as %s', (_form, report, reportType) => {
    for (const header of ['User-Agent', 'user-agent']) {
      const line = { ...wrap(report), path: '/', source_type: 'http_server', timestamp: receivedAt, [header]: firefox }
      expect(normalised(line)).toMatchObject([{ reportType, receivedAt, browserName: 'Firefox' }])
    }
  })
})

test('a report with members beside its own takes no site and no sample rate from them: a browser could write them', () => {
  const line = { ...crash, site: '22222222-2222-4222-8222-222222222222', sampleRate: 0.001 }
  const post = readPostOf(line)
  expect(post).toMatchObject({ siteId: '', sampleRate: 1 })
  const { site, sampleRate } = line
  expect(readElement(post.elements[0])).toMatchObject({ rest: new Map(Object.entries({ site, sampleRate })) })
})

test('a message that is no JSON rejects the line', () => {
  const post = readPost({ message: 'starting up...', level: 'debug' })
  expect(isLineError(post) && post.reason).toBe('the body is text, but not JSON')
})

test('a body comes before a message', () => {
  expect(normalised({ message: 'POST /reports', timestamp: receivedAt, body: [crash] })).toMatchObject([{ receivedAt }])
})

describe('a line of go-csp-collector', () => {
  test('is a csp-violation', () => {
    expect(normalised(logged)).toMatchObject([
      {
        reportType: 'csp-violation',
        receivedAt,
        documentUrl: 'https://a.test/',
        disposition: 'enforce',
        directive: 'script-src-elem',
        blockedHost: 'cdn.test',
        policy: "script-src 'self'",
        lineNumber: 3,
        columnNumber: 7,
        statusCode: 200,
        browserName: '',
      },
    ])
  })

  test.each([
    ['report', false, 'report'],
    ['enforce', true, 'enforce'],
    ['', true, 'report'],
    ['', false, ''],
  ])('with the disposition %j and report_only %j is stored with %j', (disposition, report_only, stored) => {
    expect(normalised({ ...logged, disposition, report_only })[0]?.disposition).toBe(stored)
  })

  test('has no members that nothing reads', () => {
    const [element] = readPostOf(logged).elements
    expect(Object.keys((element as { 'csp-report': object })['csp-report'])).not.toContain('level')
  })
})

test.each(['body', 'message'])('a byte order mark before the JSON of a %s is not part of it', (member) => {
  expect(normalised({ receivedAt, [member]: `\ufeff${JSON.stringify([crash])}` })).toMatchObject([{ receivedAt }])
})

test.each([
  ['a message', { timestamp: receivedAt, 'User-Agent': firefox, message: JSON.stringify([crash]) }],
  ['members beside a report', { timestamp: receivedAt, 'User-Agent': firefox, ...crash }],
  ['go-csp-collector', { ...logged, 'User-Agent': firefox }],
])('a rejected report of %s is written with its time and user agent, and once', (_name, line) => {
  const post = readPostOf(line)
  const again = withElements(post, post.elements, 5)
  expect(again).not.toHaveProperty('message')
  expect(normalised(again)).toEqual(normalised(line))
  expect(normalised(again)).toMatchObject([{ receivedAt, browserName: 'Firefox' }])
})
