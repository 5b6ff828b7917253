import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type DimensionName, dimensionRows, fieldDimensions } from '../../../../../schema/dimensions.ts'
import { reportTypeNames } from '../../../../../schema/report-types.ts'
import { textLimits } from '../../../../../schema/stored-report.ts'
import { normalised, normalisedBody } from '../../../../support/normalised.ts'
import { numberOfCases } from '../../../../support/number-of-cases.ts'

const wellFormed = (text: string) => Buffer.from(text, 'utf8').toString('utf8') === text

test('no stored text is shorter than the longest filter value', () => {
  for (const name of fieldDimensions) {
    const row = dimensionRows[name]
    const limit = textLimits[name as keyof typeof textLimits]
    if (row.match.kind === 'text') expect(limit, name).toBeGreaterThanOrEqual(row.match.maxLength)
  }
  expect(textLimits['directive' satisfies DimensionName]).toBeGreaterThanOrEqual(64)
})

test('a text of 100,000 characters is truncated to its limit', () => {
  const long = 'a'.repeat(100_000)
  const report = normalisedBody(
    'csp-violation',
    {
      blockedURL: `https://h.test/${long}`,
      effectiveDirective: long,
      originalPolicy: long,
      sample: long,
      sourceFile: long,
      referrer: long,
      disposition: long,
    },
    `https://shop.test/${long}`,
  )
  expect(report.policy).toHaveLength(textLimits.policy)
  expect(report.sample).toHaveLength(textLimits.sample)
  expect(report.directive).toHaveLength(textLimits.directive)
  expect(report.documentUrl).toHaveLength(textLimits.documentUrl)
  expect(report).toMatchObject({ blockedHost: 'h.test', documentHost: 'shop.test', disposition: '' })
})

test('broken UTF-16 is replaced, and truncating makes none', () => {
  expect(normalisedBody('crash', { reason: 'a\ud800b\udc00c' }).feature).toBe('a\ufffdb\ufffdc')
  const { sample } = normalisedBody('csp-violation', { sample: `${'x'.repeat(textLimits.sample - 1)}😀` })
  expect(sample).toBe('x'.repeat(textLimits.sample - 1))
})

test('HTML, NUL and control characters are stored as they are', () => {
  const message = '<img src=x onerror=alert(1)>\0\u0007\n\t\\N'
  expect(normalisedBody('intervention', { message }).message).toBe(message)
})

test('a field named __proto__ or constructor is only a field', () => {
  const line =
    '[{"type":"crash","url":"https://a.test/","__proto__":{"age":5},"body":{"__proto__":{"reason":"x"},"constructor":{"reason":"y"}}}]'
  expect(normalised(line)).toMatchObject([{ feature: '', ageMs: 0 }])
  expect(({} as { reason?: string }).reason).toBeUndefined()
})

test('pairs of a crash that are no texts are stored as they are', () => {
  const pairs = { a: { toString: 1, valueOf: 1 }, b: 7, c: 'x'.repeat(300) }
  const { context } = normalisedBody('crash', { crash_report_api: pairs })
  expect(JSON.parse(context)).toEqual({ ...pairs, c: 'x'.repeat(256) })
})

test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('a type named %s is not stored', (type) => {
  expect(normalised([{ type, url: 'https://a.test/', body: {} }])).toEqual([])
})

test('a body nested a hundred thousand deep is read', () => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000)
  const [report] = normalised(`[{"type":"crash","url":"https://a.test/","body":{"reason":${deep},"stack":"s"}}]`)
  expect(report).toMatchObject({ feature: '', stack: 's' })
})

const line = (reports: number) => `[${Array(reports).fill('{"type":"crash","body":{}}').join()}]`

test('an array of ten thousand reports is read, and a longer one is one error', () => {
  expect(normalised(line(10_000))).toHaveLength(10_000)
  expect(() => normalised(line(10_001))).toThrow('the body has 10001 reports; the maximum is 10000')
})

test('a body of 50,000 fields is read', () => {
  const members = Array.from({ length: 50_000 }, (_, index) => [`m${index}`, index])
  expect(normalisedBody('crash', { ...Object.fromEntries(members), reason: 'oom' }).feature).toBe('oom')
})

describe('a stored report', () => {
  const names = [
    ...['documentURL', 'blocked-uri', 'blockedURL', 'sourceFile', 'disposition', 'type', 'lineNumber', 'connection'],
    ...[
      'status_code',
      'sampling_fraction',
      'elapsed_time',
      'anticipatedRemoval',
      'referrer',
      'reportOnly',
      'allowlist',
    ],
    ...['openerURL', 'effectiveDirective', 'violated-directive', 'original-policy', 'is_top_level', 'property', 'id'],
    ...['crash_report_api', 'a member that no field has'],
  ]
  const url = fc.oneof(fc.webUrl({ withFragments: true, withQueryParameters: true }), fc.string({ unit: 'binary' }))
  const value = fc.oneof(url, fc.string({ unit: 'binary', maxLength: 9_000 }), fc.double(), fc.jsonValue())
  const body = fc.dictionary(fc.constantFrom(...names), value)
  const report = fc.record({
    type: fc.constantFrom(...reportTypeNames),
    url: value,
    age: value,
    user_agent: value,
    body,
  })

  test('a stored report has every field, of its kind and within its bounds', () => {
    fc.assert(
      fc.property(fc.array(report, { maxLength: 3 }), (reports) => {
        for (const stored of normalised(reports)) {
          for (const [field, limit] of Object.entries(textLimits)) {
            const text = stored[field as keyof typeof textLimits]
            expect(text.length, field).toBeLessThanOrEqual(limit)
            expect(wellFormed(text), field).toBe(true)
          }
          for (const field of ['ageMs', 'lineNumber', 'columnNumber', 'statusCode', 'weight'] as const) {
            expect(Number.isInteger(stored[field]) && stored[field] >= 0, field).toBe(true)
          }
          expect(stored.weight).toBeLessThanOrEqual(1e12)
          expect(stored.sampleRate > 0 && stored.sampleRate <= 1).toBe(true)
          expect(stored.sampleRate === 1).toBe(stored.weight === 1_000_000)
          expect(['', 'enforce', 'report']).toContain(stored.disposition)
          expect(stored.documentHost).toBe(stored.documentHost.toLowerCase())
          expect(stored.blockedHost).toBe(stored.blockedHost.toLowerCase())
          expect(stored.sourceFile).not.toMatch(/[?#]/)
        }
      }),
      { numRuns: numberOfCases(500) },
    )
  })
})
