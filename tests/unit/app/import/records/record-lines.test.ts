import { describe, expect, test } from 'vitest'
import { describeRepeats } from '../../../../../app/cli/import/describe-records.ts'
import { isLineError } from '../../../../../app/import/ndjson/line-error.ts'
import { recordTypes } from '../../../../../app/import/records/all-record-types.ts'
import { describeFields } from '../../../../../app/import/records/describe-schema.ts'
import { readRecord } from '../../../../../app/import/records/read-record.ts'
import type { RecordType } from '../../../../../app/import/records/record-type.ts'
import { alertDeliveries } from '../../../../../app/import/records/types/alert-deliveries.ts'
import { alertRules } from '../../../../../app/import/records/types/alert-rules.ts'
import { libraryAdvisories } from '../../../../../app/import/records/types/library-advisories.ts'
import { monitoredPages } from '../../../../../app/import/records/types/monitored-pages.ts'
import { scans } from '../../../../../app/import/records/types/scans.ts'
import { scriptDecisions } from '../../../../../app/import/records/types/script-decisions.ts'
import { recordLineError } from '../../../../support/record-line-error.ts'

const siteId = '22222222-2222-4222-8222-222222222222'
const otherSite = '33333333-3333-4333-8333-333333333333'

const lineError = (type: RecordType, record: object | string, site = siteId) => recordLineError(type, record, site)

describe.each(recordTypes.map((type) => [type.name, type] as const))('the record type %s', (_, type) => {
  test('the record type %s accepts the example of its help', () => {
    expect(lineError(type, type.example)).toBeUndefined()
  })

  test('the record type %s ignores derived fields of any value', () => {
    for (const member of type.derived ?? []) {
      expect(lineError(type, { ...type.example, [member]: { any: ['thing'] } })).toBeUndefined()
    }
  })

  test.each(['nonsense', '__proto__', 'constructor', 'Id'])('an unknown field %s is rejected by its name', (member) => {
    const line = `${JSON.stringify(type.example).slice(0, -1)},${JSON.stringify(member)}:1}`
    expect(lineError(type, line)).toContain(`"${member}" is not allowed; expected ${Object.keys(type.schema.shape)[0]}`)
  })

  test('the help describes the values of every field', () => {
    for (const { name, expected } of describeFields(type.schema)) {
      expect(expected, name).toMatch(/^(a|an|any|one of|text|true or false)\b/)
      expect(expected, name).not.toMatch(/undefined|NaN/)
    }
  })

  test.each(['', 'x', '1', 'null', '[]', '"x"', '{'])('the line %j is no record', (line) => {
    const read = readRecord(type, line, undefined)
    expect(line === '' ? read === undefined : isLineError(read)).toBe(true)
  })
})

const page: Readonly<Record<string, unknown>> = { ...monitoredPages.example, siteId }
const delivery = alertDeliveries.example as { destination: object }
const destination = (change: object) => ({ ...delivery, destination: { ...delivery.destination, ...change } })

/** A line with this detail, as JSON writes it. */
const withDetail = (text: string) => JSON.stringify({ ...delivery, detail: '?' }).replace('"?"', () => `"${text}"`)

const rejected: [what: string, type: RecordType, record: object, reason: string][] = [
  [
    'a missing member',
    monitoredPages,
    { ...page, label: undefined },
    'label is required and must be text of 1 to 200 characters',
  ],
  ['a wrong value', monitoredPages, { ...page, kind: 'Payment' }, 'kind must be one of payment, other, not "Payment"'],
  ['null', monitoredPages, { ...page, pattern: null }, 'pattern must be text of 1 to 2,048 characters, not null'],
  ['an id that is none', monitoredPages, { ...page, id: 'x' }, 'id must be a UUID, not "x"'],
  [
    'a number out of bounds',
    monitoredPages,
    { ...page, position: -1 },
    'position must be a whole number from 0 to 4294967295, not -1',
  ],
  [
    'a payment page without a URL to scan',
    monitoredPages,
    { ...page, scanUrl: null },
    'scanUrl is required for a payment page',
  ],
  ['two lines of text', monitoredPages, { ...page, label: 'a\nb' }, 'label must be one line of text'],
  ['blank text', monitoredPages, { ...page, label: ' ' }, 'label must be one line of text'],
  [
    'several members',
    monitoredPages,
    { ...page, kind: 1, label: '' },
    'kind must be one of payment, other, not 1. label must be text of 1 to 200 characters, not ""',
  ],
  ['long text, cut short', monitoredPages, { ...page, label: 'x'.repeat(201) }, `not "${'x'.repeat(64)}…"`],
  [
    'a member of a member',
    alertDeliveries,
    destination({ type: 'pager' }),
    'destination.type must be one of email, webhook, slack, or null, not "pager"',
  ],
  [
    'an unknown member of a member',
    alertDeliveries,
    destination({ url: 'x' }),
    '"destination.url" is not allowed; expected an object with id, name, type',
  ],
  ['an item of a list', alertDeliveries, { ...delivery, siteIds: [siteId, 'x'] }, 'siteIds[1] must be a UUID, not "x"'],
  [
    'a type without a name',
    alertDeliveries,
    { ...delivery, outcome: 'dropped', destination: { id: 'x', name: null, type: 'slack' } },
    'destination.type must be null if and only if destination.name is null',
  ],
  [
    'a delivery to what was deleted',
    alertDeliveries,
    { ...delivery, outcome: 'delivered', destination: { id: 'x', name: null, type: null } },
    'outcome must be dropped',
  ],
  [
    'a time without a zone',
    alertDeliveries,
    { ...delivery, createdAt: '2026-01-31T12:00:00' },
    'createdAt must be a time from 1970 to 2199 such as',
  ],
  [
    'a day that is none',
    alertDeliveries,
    { ...delivery, createdAt: '2026-02-30T12:00:00Z' },
    'createdAt must be a time',
  ],
  [
    'a name that nobody could see',
    alertDeliveries,
    destination({ name: '\u200b\u2060' }),
    'destination.name must have a visible character',
  ],
  ['an id that no filter could have', alertDeliveries, { ...delivery, id: 'ä' }, 'id must be printable ASCII'],
  [
    'a missing siteId',
    alertRules,
    { ...alertRules.example, siteId: undefined },
    'siteId is required and must be a UUID, or null',
  ],
]

/** The moments of each kind of records that has any. */
const moments: [member: string, type: RecordType, at: (time: string) => object][] = [
  ['createdAt', alertDeliveries, (createdAt) => ({ createdAt })],
  ['scannedAt', scans, (scannedAt) => ({ scannedAt })],
  ['decidedAt', scriptDecisions, (decidedAt) => ({ decidedAt })],
  ['checkedAt', libraryAdvisories, (checkedAt) => ({ checkedAt })],
]

test.each(moments)('the time %s is at most a day ahead of now', (member, type, at) => {
  const ahead = (hours: number) => at(new Date(Date.now() + hours * 3_600_000).toISOString())
  const site = type.siteFromFlag && siteId
  expect(lineError(type, { ...type.example, ...ahead(23) }, site)).toBeUndefined()
  expect(lineError(type, { ...type.example, ...ahead(25) }, site)).toBe(
    `${member} must be at most one day in the future`,
  )
})

describe('a line', () => {
  test.each(rejected)('a line is rejected for %s', (_, type, record, reason) => {
    expect(lineError(type, record)).toContain(reason)
  })

  test.each([
    '\\ud83d',
    '\\uDE00',
    'a\\ud83d b',
    '\\ude00\\ud83d',
    '\\ud83d\\ud83d\\ude00',
    '\\\\\\ud83d',
    '\\ud83d\\\\\\ude00',
  ])('a line is rejected for a lone surrogate, written %s', (text) => {
    expect(lineError(alertDeliveries, withDetail(text))).toBe('the line contains an unpaired surrogate')
  })

  test.each(['\\ud83d\\ude00', '\\uD83D\\uDE00!', '\\\\ud83d', '😀', '\\ud7ff\\ue000'])(
    'a line may hold %s',
    (text) => {
      expect(lineError(alertDeliveries, withDetail(text))).toBeUndefined()
    },
  )

  test('a line is rejected for an unknown field before missing fields', () => {
    expect(lineError(monitoredPages, { x: 1 })).toMatch(/^"x" is not allowed; .* label is required/)
  })

  test('a line’s own site comes before the flag’s', () => {
    const read = readRecord(monitoredPages, JSON.stringify(page), otherSite)
    expect(read).toMatchObject({ siteId })
    expect(readRecord(monitoredPages, JSON.stringify(monitoredPages.example), otherSite)).toMatchObject({
      siteId: otherSite,
    })
    expect(lineError(alertRules, { ...alertRules.example, siteId: undefined }, siteId)).toContain('siteId is required')
  })

  test('a line may begin with a byte order mark, and have ids in capitals', () => {
    const read = readRecord(
      monitoredPages,
      `\ufeff${JSON.stringify({ ...page, id: page.id?.toString().toUpperCase() })}`,
      undefined,
    )
    expect(read).toMatchObject({ id: page.id })
  })
})

test.each([
  ['pages', 'A line that changes siteId is rejected.'],
  ['alert-rules', 'A line replaces the record with the same id. Importing a file again'],
  ['decisions', 'Records are immutable: a repeated id must have identical values.'],
  ['library', 'Records are immutable: a repeated hash must have identical values.'],
  ['captures', 'A line replaces the record with the same siteId, url and hash.'],
  ['captures', 'The state is final once it leaves pending; later changes are rejected.'],
  ['advisories', 'the record with the same catalog and package, unless the line is older.'],
])('the help of %s describes a second line of a record', (name, said) => {
  const type = recordTypes.find((one) => one.name === name) ?? expect.fail()
  expect(describeRepeats(type).join(' ')).toContain(said)
})
