import { describe, expect, test } from 'vitest'
import { scanPresence } from '../../../../../schema/rules/scans/scan-presence.ts'
import { type Advisory, assessScript, severityOf } from '../../../../../schema/rules/scripts/script-advisories.ts'
import { scriptCoverage } from '../../../../../schema/rules/scripts/script-coverage.ts'
import { identifyScript } from '../../../../../schema/rules/scripts/script-identification.ts'

const jquery = { name: 'jquery', version: '3.4.1', path: 'dist/jquery.min.js', catalog: 'npm' }

describe('the identification of a script', () => {
  const onCdn = 'https://unpkg.com/jquery@3.4.1/dist/jquery.min.js'
  const claimsVue = 'https://unpkg.com/vue@3.2.0/dist/vue.min.js'

  test.each([
    ['unhashed when every sighting was', onCdn, undefined, 'unhashed', null],
    ['unrecognised when the index lacks its bytes', onCdn, null, 'unrecognised', null],
    ['identified when the URL claims nothing', 'https://shop.example.test/a.js', jquery, 'identified', null],
    ['identified when the URL claims the same', onCdn, jquery, 'identified', null],
    [
      'misnamed when the URL claims another library',
      claimsVue,
      jquery,
      'name_mismatch',
      { name: 'vue', version: '3.2.0' },
    ],
  ])('a script is %s', (_, url, current, state, claimed) => {
    const { catalog, ...library } = jquery
    const known = current ? { package: library, catalog } : { package: null, catalog: null }
    expect(identifyScript(url, current)).toEqual({ state, ...known, claimed })
  })

  test('a script is identified where its URL claims only another version', () => {
    expect(identifyScript('https://unpkg.com/jquery@1.0.0', jquery).state).toBe('identified')
  })
})

describe('advisories', () => {
  const advisory = (id: string, changes: Partial<Advisory> = {}): Advisory => ({
    id,
    aliases: [],
    ranges: [{ introduced: '1.0.3', fixed: '3.5.0', lastAffected: null }],
    severity: null,
    cvssScore: null,
    url: `https://advisories.example.test/${id}`,
    modifiedAt: '2026-01-01T00:00:00.000Z',
    ...changes,
  })
  const checkedAt = '2026-11-01T00:00:00.000Z'
  const check = (...advisories: Advisory[]) => ({ checkedAt, advisories })
  const nothing = { severity: null, checkedAt: null, items: [] }

  test('advisories are not included on a plan without them', () => {
    const assessed = assessScript(false, jquery, check(advisory('A')))
    expect(assessed).toEqual({ state: 'not_included', ...nothing })
  })

  test('advisories are not assessed without a known library', () => {
    expect(assessScript(true, null, undefined)).toEqual({ state: 'not_assessed', ...nothing })
  })

  test('advisories are pending until the library is checked', () => {
    expect(assessScript(true, jquery, undefined)).toEqual({ state: 'pending', ...nothing })
  })

  test('advisories are none_known where no range has the version', () => {
    const fixed = { ranges: [{ introduced: null, fixed: '3.4.0', lastAffected: null }] }
    const assessed = { state: 'none_known', severity: null, checkedAt, items: [] }
    expect(assessScript(true, jquery, check())).toEqual(assessed)
    expect(assessScript(true, jquery, check(advisory('A', fixed), advisory('B', { ranges: [] })))).toEqual(assessed)
  })

  test('advisories are listed worst first, then by id, each with its CVE ids first', () => {
    const assessed = assessScript(
      true,
      jquery,
      check(
        advisory('E'),
        advisory('D', { severity: 'low', aliases: ['SNYK-1', 'CVE-2', 'GHSA-1', 'CVE-1'] }),
        advisory('C', { cvssScore: 6.1 }),
        advisory('B', { severity: 'high' }),
        advisory('A', { severity: 'high' }),
      ),
    )
    expect(assessed).toMatchObject({ state: 'affected', severity: 'high', checkedAt })
    expect(assessed.items.map(({ id }) => id)).toEqual(['A', 'B', 'C', 'D', 'E'])
    expect(assessed.items.map(({ severity }) => severity)).toEqual(['high', 'high', 'medium', 'low', 'unknown'])
    expect(assessed.items[3]?.aliases).toEqual(['CVE-2', 'CVE-1', 'SNYK-1', 'GHSA-1'])
    expect(assessed.items[0]).toEqual({
      id: 'A',
      aliases: [],
      severity: 'high',
      fixedIn: '3.5.0',
      url: 'https://advisories.example.test/A',
      catalog: 'npm',
      modifiedAt: '2026-01-01T00:00:00.000Z',
    })
  })

  test('advisories name the lowest release that fixes the version’s own branch', () => {
    const ranges = [
      { introduced: '1.0.0', fixed: '1.12.0', lastAffected: null },
      { introduced: '2.0.0', fixed: '10.0.0', lastAffected: null },
      { introduced: '3.0.0', fixed: '3.5.0', lastAffected: null },
    ]
    const fixedIn = (changes: Partial<Advisory>) =>
      assessScript(true, jquery, check(advisory('A', changes))).items[0]?.fixedIn
    expect(fixedIn({ ranges })).toBe('3.5.0')
    expect(fixedIn({ ranges: [{ introduced: '1.0.0', fixed: null, lastAffected: null }] })).toBeNull()
  })

  test.each([
    ['low', 9.8, 'low'],
    [null, 10, 'critical'],
    [null, 9, 'critical'],
    [null, 8.9, 'high'],
    [null, 7, 'high'],
    [null, 6.9, 'medium'],
    [null, 4, 'medium'],
    [null, 3.9, 'low'],
    [null, 0.1, 'low'],
    [null, 0, 'low'],
    [null, null, 'unknown'],
  ] as const)('an advisory rated %s with the score %s is %s', (severity, cvssScore, said) => {
    expect(severityOf({ severity, cvssScore })).toBe(said)
  })
})

describe('coverage', () => {
  const lastAt = '2026-11-01T00:00:00.000Z'
  const violation = { lastAt, mode: 'report' } as const
  const silent = { reporting: false, reported: true, violation: undefined, tagsHaveIntegrity: undefined }
  const reporting = { ...silent, reporting: true }
  const by = (state: string, decidedBy: string | null) => ({ state, decidedBy, lastUnprotectedAt: null, mode: null })

  test.each([
    ['a site that sends no integrity report claims nothing', silent, by('unknown', null)],
    [
      'without integrity reports, scans claim nothing either',
      { ...silent, tagsHaveIntegrity: true },
      by('unknown', null),
    ],
    [
      'without integrity reports, scans do not count against a script',
      { ...silent, tagsHaveIntegrity: false },
      by('unknown', null),
    ],
    ['a script reported without a violation is protected', reporting, by('protected', 'reports')],
    [
      'a script that only scans found with integrity is protected by them',
      { ...reporting, reported: false, tagsHaveIntegrity: true },
      by('protected', 'scan'),
    ],
    ['a script that nothing saw is unknown', { ...reporting, reported: false }, by('unknown', null)],
    ['a tag without integrity is unprotected', { ...reporting, tagsHaveIntegrity: false }, by('unprotected', 'scan')],
    [
      'a violation outweighs a tag with integrity',
      { ...reporting, violation, tagsHaveIntegrity: true },
      { state: 'unprotected', decidedBy: 'reports', lastUnprotectedAt: lastAt, mode: 'report' },
    ],
    [
      'an enforced violation says so',
      { ...reporting, violation: { lastAt, mode: 'enforce' as const } },
      { state: 'unprotected', decidedBy: 'reports', lastUnprotectedAt: lastAt, mode: 'enforce' },
    ],
  ])('script coverage: %s', (_, evidence, coverage) => {
    expect(scriptCoverage(evidence)).toEqual(coverage)
  })
})

describe('scan presence', () => {
  const scan = (pageId: string, scanId: string, day: number, isGone = false) => {
    const place = { pageId, scanId, scannedAt: `2026-11-0${day}T00:00:00.000Z` }
    return { place, finding: { ...place, hasIntegrity: null, isGone } }
  }

  test('scan presence is null where no scan found the script', () => {
    expect(scanPresence([])).toBeNull()
  })

  test('scan presence names the latest scan that found the script, and by id its pages and those it left', () => {
    const scans = [scan('p2', 's2', 2, true), scan('p1', 's3', 2), scan('p3', 's1', 1)]
    expect(scanPresence(scans.map(({ finding }) => finding))).toEqual({
      latestScan: scan('p1', 's3', 2).place,
      foundOn: ['p1', 'p2', 'p3'],
      goneFrom: [{ pageId: 'p2', lastScanId: 's2', lastSeenAt: '2026-11-02T00:00:00.000Z' }],
    })
  })
})
