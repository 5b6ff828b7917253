import { describe, expect, test } from 'vitest'
import { scans } from '../../../../../app/import/records/types/scans.ts'
import { fetches, scannedScript } from '../../../../../fixtures/scanned-scripts.ts'
import { completeScan, failedScan, sending } from '../../../../../fixtures/scans.ts'
import { recordLineError } from '../../../../support/record-line-error.ts'

const named = {
  id: '5b1e0d9c-7a32-4c58-8f61-2d3e4f5a6b7c',
  pageId: '3f0c2a5e-8d41-4b6f-9a57-0c1d2e3f4a5b',
  scannedAt: '2026-01-31T04:00:00.000Z',
}
const complete = (change: object = {}) => ({ ...completeScan(named), ...change })
const failed = (change: object = {}) => ({ ...failedScan(named), ...change })
const withScript = (script: object) => complete({ scripts: [script] })

const hashed = scannedScript('/app.js?v=1', fetches.readable)
const refused = scannedScript('data:,1', fetches.inline)

/** A scan whose result has objects and lists within each other, so many with itself. */
const nesting = (levels: number) =>
  complete({ result: { deep: JSON.parse('['.repeat(levels - 1) + ']'.repeat(levels - 1)) } })

const reasonOf = (line: object) => recordLineError(scans, line) ?? 'taken'

describe('a valid scan', () => {
  test.each<[string, object]>([
    ['complete', complete()],
    ['failed', failed()],
    ['failed by a new reason, without a message', failed({ failureReason: 'moon_phase', failureMessage: null })],
    ['failed with a response', failed({ finalUrl: 'https://a.test/', statusCode: 503 })],
    ['with what is worked out on reading', complete({ consecutiveFailures: 'x', changes: null })],
    [
      'with every outcome of a script',
      complete({ scripts: Object.values(fetches).map((one) => scannedScript('/a.js', one)) }),
    ],
    ['with a script that has no URL', withScript(refused)],
    ['with a time in another zone', complete({ scannedAt: '2026-01-31T05:00:00+01:00' })],
    ['with anything in its result', complete({ result: { a: [{ b: null }] } })],
    ['with a result of 64 levels', nesting(64)],
  ])('a scan is accepted: %s', (_, line) => {
    expect(reasonOf(line)).toBe('taken')
  })
})

describe('an invalid scan', () => {
  test.each<[object, string]>([
    [complete({ status: 'pending' }), 'status must be one of complete, failed, not "pending"'],
    [complete({ failureReason: 'timeout' }), 'failureReason must be null for a complete scan'],
    [complete({ failureMessage: 'x' }), 'failureMessage must be null for a complete scan'],
    [complete({ grade: null }), 'grade must not be null for a complete scan'],
    [complete({ grade: 'E' }), 'grade must be one of A+, A, B, C, D, F'],
    [complete({ score: null }), 'score must not be null for a complete scan'],
    [complete({ score: 101 }), 'score must be a whole number from 0 to 100'],
    [complete({ score: 99.5 }), 'score must be a whole number from 0 to 100'],
    [complete({ headers: null }), 'headers must not be null for a complete scan'],
    [complete({ headers: { 'x-frame-options': 'deny' } }), 'headers.content-security-policy is required'],
    [complete({ headers: { ...sending({}), server: 'x' } }), '"headers.server" is not allowed'],
    [complete({ result: null }), 'result must not be null for a complete scan'],
    [complete({ result: [] }), 'result must be an object, or null'],
    [complete({ result: JSON.parse('{"__proto__": {"a": 1}}') }), 'result must not have a member __proto__'],
    [nesting(65), 'result must not nest deeper than 64 levels'],
    [complete({ rubricVersion: -1 }), 'rubricVersion must be a whole number'],
    [complete({ statusCode: 99 }), 'statusCode must be a whole number from 100 to 599'],
    [complete({ scanUrl: 'ftp://a.test/' }), 'scanUrl must be an http or https URL'],
    [complete({ scannedAt: '2026-02-30T04:00:00Z' }), 'scannedAt must be a time'],
    [complete({ pageId: 'x' }), 'pageId must be a UUID'],
    [complete({ siteId: named.pageId }), '"siteId" is not allowed'],
    [failed({ failureReason: null }), 'failureReason must not be null for a failed scan'],
    [failed({ grade: 'F' }), 'grade must be null for a failed scan'],
    [failed({ score: 0 }), 'score must be null for a failed scan'],
    [failed({ headers: sending({}) }), 'headers must be null for a failed scan'],
    [failed({ result: {} }), 'result must be null for a failed scan'],
    [failed({ scripts: [] }), 'scripts must be null for a failed scan'],
    [withScript({ ...hashed, src: null }), 'scripts[0].src must be text'],
    [withScript({ ...hashed, hash: null }), 'scripts[0].hash must be set if and only if the outcome is hashed'],
    [withScript({ ...hashed, hash: 'sha384-x' }), 'scripts[0].hash must be sha256- and 44 base64 characters'],
    [withScript({ ...hashed, size: null }), 'scripts[0].size must be set if and only if the outcome is hashed'],
    [
      withScript({ ...hashed, problem: refused.problem }),
      'scripts[0].problem must be null if and only if the outcome is hashed',
    ],
    [withScript({ ...hashed, url: null, identityUrl: null }), 'scripts[0].url must not be null for a fetched script'],
    [
      withScript({ ...hashed, identityUrl: hashed.url }),
      'scripts[0].identityUrl must be the url without user, query and fragment',
    ],
    [withScript({ ...refused, hash: hashed.hash }), 'scripts[0].hash must be set if'],
    [withScript({ ...refused, problem: null }), 'scripts[0].problem must be null if and only if'],
    [withScript({ ...refused, cors: hashed.cors }), 'scripts[0].cors must be null for a script that was not fetched'],
    [
      withScript({ ...hashed, cors: { ...hashed.cors, verdict: 'maybe' } }),
      'scripts[0].cors.verdict must be one of readable',
    ],
  ])('a scan is rejected, case %#: %j', (line, reason) => {
    expect(reasonOf(line)).toContain(reason)
  })

  test.each(['result', 'scripts', 'failureReason', 'headers'])(
    'a scan without %s, as a list responds with it, is rejected',
    (member) => {
      const { [member]: _, ...line } = complete() as Record<string, unknown>
      expect(reasonOf(line)).toContain(`${member} is required`)
    },
  )
})
