import { expect, test } from 'vitest'
import { toAdvisories } from '../../../../../app/worker/libraries/osv-advisories.ts'
import { vulnerabilities, vulnerability } from '../../../../support/library-sources.ts'

type Given = Parameters<typeof vulnerability>[0]

const read = (...given: readonly Omit<Given, 'id'>[]) =>
  toAdvisories('jquery', { vulns: given.map((one, index) => vulnerability({ id: `GHSA-${index}`, ...one })) })

const range = (introduced: string | null, fixed: string | null, lastAffected: string | null = null) => ({
  introduced,
  fixed,
  lastAffected,
})

test('advisories have the id, aliases, ranges, severity, score and time of the database, without withdrawn ones', () => {
  expect(toAdvisories('jquery', { vulns: vulnerabilities.jquery })).toEqual([
    {
      id: 'GHSA-gxr4-xjj5-5px2',
      aliases: ['CVE-2020-11022'],
      ranges: [range('1.2.0', '3.5.0')],
      severity: 'medium',
      cvssScore: 6.9,
      url: 'https://osv.dev/vulnerability/GHSA-gxr4-xjj5-5px2',
      modifiedAt: '2026-03-04T05:06:07.123456Z',
    },
    expect.objectContaining({ id: 'GHSA-6c3j-c64m-qhgq', severity: null, cvssScore: 6.1 }),
  ])
  expect(toAdvisories('jquery', {})).toEqual([])
})

test.each<[string, NonNullable<Given['events']>, readonly object[]]>([
  ['one fix', [{ introduced: '0' }, { fixed: '3.5.0' }], [range(null, '3.5.0')]],
  ['a last affected version', [{ introduced: '1.0.0' }, { last_affected: '2.0.0' }], [range('1.0.0', null, '2.0.0')]],
  ['one affected version', [{ last_affected: '1.0.0' }, { introduced: '1.0.0' }], [range('1.0.0', null, '1.0.0')]],
  ['no end', [{ introduced: '1.0.0' }], [range('1.0.0', null)]],
  [
    'several pairs in any order',
    [{ fixed: '10.0.1' }, { introduced: '2.0.0' }, { fixed: '1.9.0' }, { introduced: '0' }, { introduced: '10.0.0' }],
    [range(null, '1.9.0'), range('2.0.0', '10.0.1')],
  ],
  [
    'a fix that the next range begins with',
    [{ introduced: '2.0.0' }, { introduced: '1.0.0' }, { fixed: '2.0.0' }, { fixed: '3.0.0' }],
    [range('1.0.0', '2.0.0'), range('2.0.0', '3.0.0')],
  ],
  ['a fix without a start', [{ fixed: '1.0.0' }], []],
  ['a pre-release', [{ introduced: '3.0.0-beta.1' }, { fixed: '3.0.0' }], [range('3.0.0-beta.1', '3.0.0')]],
])('events with %s are pairs', (_, events, ranges) => {
  expect(read({ events })[0]?.ranges).toEqual(ranges)
})

test('listed versions count outside the ranges', () => {
  const [advisory] = read({ events: [{ introduced: '1.0.0' }, { fixed: '2.0.0' }], versions: ['1.5.0', '7.0.0'] })
  expect(advisory?.ranges).toEqual([range('1.0.0', '2.0.0'), range('7.0.0', null, '7.0.0')])
})

test.each([
  ['CRITICAL', undefined, 'critical', null],
  ['MODERATE', undefined, 'medium', null],
  ['LOW', 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H', 'low', 9.8],
  [undefined, 'CVSS:3.0/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N', null, 6.1],
  [undefined, 'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N', null, null],
  [undefined, 'CVSS:3.1/AV:N', null, null],
  [undefined, 'CVSS:3.1/AV:?/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H', null, null],
  ['SEVERE', undefined, null, null],
])('the rating %s and the vector %s are %s, %s', (rating, vector, severity, cvssScore) => {
  const given = { events: [{ introduced: '0' }], ...(rating && { rating }), ...(vector && { vector }) }
  expect(read(given)[0]).toMatchObject({ severity, cvssScore })
})

test('a package of another name or ecosystem does not count', () => {
  const events = [{ introduced: '0' }]
  expect(read({ events, package: 'jquery-ui' }, { events, ecosystem: 'RubyGems' })).toEqual([])
})

test.each([{ vulns: [{ id: 7 }] }, { vulns: 'none' }, [], null, { vulns: [], next_page_token: 'more' }])(
  'the response %j has another format',
  (body) => {
    expect(() => toAdvisories('jquery', body)).toThrow()
  },
)
