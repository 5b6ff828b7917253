import { describe, expect, test } from 'vitest'
import { isLineError, parseLine } from '../../../../../app/import/ndjson/line-error.ts'
import { readElement, readPost } from '../../../../../app/import/normalise/post.ts'
import { normalised } from '../../../../support/normalised.ts'

const crash = (url: string) => ({ age: 1, type: 'crash', url, user_agent: 'UA', body: { reason: 'oom' } })
const legacy = { 'csp-report': { 'document-uri': 'https://a.test/', 'blocked-uri': 'inline' } }
const receivedAt = '2026-11-20T10:00:00.123Z'

const lineError = (line: unknown) => {
  const post = readPost(line)
  return isLineError(post) ? post.reason : undefined
}

describe('a line', () => {
  test.each([
    ['a bare array', [crash('https://a.test/'), crash('https://b.test/')], ['crash', 'crash']],
    ['a bare csp-report', legacy, ['csp-violation']],
    ['a bare csp-report with a type', { ...legacy, type: 'csp-violation' }, ['csp-violation']],
    ['a bare envelope, as Safari sends it', { type: 'crash', url: 'https://a.test/', body: {} }, ['crash']],
    ['a POST of an array', { receivedAt, body: [crash('https://a.test/')] }, ['crash']],
    ['a POST of a csp-report', { receivedAt, body: legacy }, ['csp-violation']],
    ['a POST of one envelope', { receivedAt, body: crash('https://a.test/') }, ['crash']],
    ['a POST of JSON text', { receivedAt, body: JSON.stringify([crash('https://a.test/')]) }, ['crash']],
    ['an array of legacy reports', [legacy, legacy], ['csp-violation', 'csp-violation']],
    ['an empty array', { receivedAt, body: [] }, []],
  ])('a line is %s', (_name, line, types) => {
    expect(normalised(line).map(({ reportType }) => reportType)).toEqual(types)
  })

  test.each([
    ['neither', { reports: [] }],
    ['a number', 5],
    ['null', null],
    ['text', 'crash'],
    ['an envelope without a body', { type: 'crash' }],
    ['a POST of null', { receivedAt, body: null }],
    ['a POST of something else', { receivedAt, body: { hello: 1 } }],
    ['a POST of a number', { receivedAt, body: 7 }],
  ])('a line is rejected when it is %s', (_name, line) => {
    expect(lineError(line)).toBe('the body is not an array of reports, a csp-report or a report')
  })

  test('a line is rejected when its body is text that is not JSON', () => {
    expect(lineError({ body: '{"type":' })).toBe('the body is text, but not JSON')
  })
})

test.each([
  ['{"a":', /^not JSON: /],
  ['undefined', /^not JSON: /],
  ['\u0000', /^not JSON: /],
])('the line %j is not JSON', (line, reason) => {
  const json = parseLine(line)
  expect(isLineError(json) && json.reason).toMatch(reason)
})

test.each(['', ' ', '\t ', '\r'])('the line %j is blank', (line) => {
  expect(parseLine(line)).toBeUndefined()
})

test('a byte order mark before a line is not part of it', () => {
  expect(parseLine('\ufeff[1]')).toEqual([1])
})

describe('a rejected element', () => {
  test.each([
    ['is null', null, 'a report is not an object'],
    ['is a list', [crash('https://a.test/')], 'a report is not an object'],
    ['has no type', { body: {} }, 'a report has no type'],
    ['has a type that is no text', { type: 5, body: {} }, 'a report has no type'],
    ['has an empty type', { type: '', body: {} }, 'a report has no type'],
    ['has no body', { type: 'crash' }, 'a report has no body'],
    ['has a null body', { type: 'crash', body: null }, 'a report has no body'],
    ['has a list for a body', { type: 'crash', body: [] }, 'a report has no body'],
    ['has an empty csp-report', { 'csp-report': null }, 'a report has no body'],
  ])('an element is rejected that %s', (_name, element, reason) => {
    const read = readElement(element)
    expect(isLineError(read) && read.reason).toBe(reason)
  })
})

describe('receivedAt', () => {
  test.each([
    ['2026-11-20T10:00:00Z', Date.UTC(2026, 10, 20, 10)],
    ['2026-11-20T10:00:00.123Z', Date.UTC(2026, 10, 20, 10, 0, 0, 123)],
    ['2026-11-20T10:00:00.123456789z', Date.UTC(2026, 10, 20, 10, 0, 0, 123)],
    ['2026-11-20t12:30:00+02:30', Date.UTC(2026, 10, 20, 10)],
    ['2026-11-20 10:00:00.9999-00:00', Date.UTC(2026, 10, 20, 10, 0, 0, 999)],
    ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
    ['1970-01-01T00:00:00Z', 0],
  ])('receivedAt %s is read', (text, time) => {
    expect(readPost({ receivedAt: text, body: [] }, Date.UTC(2099, 11, 31))).toMatchObject({ receivedAt: time })
  })

  test.each([
    '2026-11-20',
    '2026-11-20T10:00:00',
    '2026-02-29T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-11-20T24:00:00Z',
    '2026-11-20T25:00:00Z',
    '2026-11-20T10:00:00.1234567890Z',
    '1969-12-31T23:59:59Z',
    '2100-01-01T00:00:00Z',
    'yesterday',
    -1,
    '-0.5',
    4_102_444_800,
    99_999_999_999,
    4_102_444_800_000,
    1_763_632_800_000_000,
    '1763632800s',
    true,
  ])('receivedAt %j rejects the line', (text) => {
    expect(lineError({ receivedAt: text, body: [] })).toBe(
      'receivedAt is neither an RFC 3339 time nor an epoch time from 1970 to 2099',
    )
  })

  test.each([
    ['seconds', 1_763_632_800, 1_763_632_800_000],
    ['seconds with milliseconds, as nginx writes them', 1_763_632_800.123, 1_763_632_800_123],
    ['seconds with microseconds, as Fluent Bit writes them', 1_763_632_800.123456, 1_763_632_800_123],
    ['seconds as text', '1763632800.123', 1_763_632_800_123],
    ['milliseconds', 1_763_632_800_123, 1_763_632_800_123],
    ['milliseconds with a fraction', 1_763_632_800_122.6, 1_763_632_800_123],
    ['milliseconds as text', '1763632800123', 1_763_632_800_123],
    ['milliseconds of 1973', 100_000_000_000, 100_000_000_000],
    ['the beginning', 0, 0],
  ])('receivedAt is read in %s', (_name, receivedAt, time) => {
    expect(readPost({ receivedAt, body: [] }, Date.UTC(2099, 11, 31))).toMatchObject({ receivedAt: time })
  })

  test.each([undefined, null, ''])('receivedAt %j gives the report the time of the import', (text) => {
    expect(readPost({ receivedAt: text, body: [] }, Date.UTC(2099, 11, 31))).toMatchObject({ receivedAt: undefined })
  })
})

test.each([0, -0.1, 1.1, 'half', true, []])('a sampleRate of %j rejects the line', (sampleRate) => {
  expect(lineError({ sampleRate, body: [] })).toBe('sampleRate is not a number above 0 and up to 1')
})

test.each(['shop', 5, {}])('a site of %j rejects the line', (site) => {
  expect(lineError({ site, body: [] })).toBe('site is not a UUID')
})

test('a report’s own user agent comes before the header’s', () => {
  const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0'
  const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36'
  const reports = [
    { ...crash('https://a.test/'), user_agent: firefox },
    { ...crash('https://a.test/'), user_agent: '' },
    { ...crash('https://a.test/'), user_agent: undefined, 'user-agent': firefox },
  ]
  const names = normalised({ userAgent: chrome, body: reports }).map(({ browserName }) => browserName)
  expect(names).toEqual(['Firefox', 'Chrome', 'Firefox'])
})
