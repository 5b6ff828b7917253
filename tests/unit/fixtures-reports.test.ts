import { describe, expect, test } from 'vitest'
import { aReport, randomReports } from '../../fixtures/reports.ts'
import { seeded, weighted } from '../../fixtures/seeded.ts'
import { dimensionNames } from '../../schema/dimensions.ts'
import { reportTypeNames, reportTypeRows, storedTypeRows } from '../../schema/report-types.ts'
import { storedFieldNames, unitWeight } from '../../schema/stored-report.ts'

const options = {
  seed: 7,
  count: 4_000,
  tenantId: '5ec0de00-0000-4000-8000-0000000000f0',
  siteIds: ['5ec0de00-0000-4000-8000-0000000001f1', '5ec0de00-0000-4000-8000-0000000001f2'],
  from: new Date('2026-11-01T05:06:07.089Z'),
  to: new Date('2026-11-08T01:02:03.004Z'),
}
const reports = randomReports(options)

describe('random reports', () => {
  test('are the same for the same options and others for another seed', () => {
    expect(randomReports(options)).toEqual(reports)
    expect(randomReports({ ...options, seed: 8 })).not.toEqual(reports)
  })

  test('have every column, every type and every site', () => {
    for (const report of reports) expect(Object.keys(report).toSorted()).toEqual(storedFieldNames.toSorted())
    expect(new Set(reports.map(({ reportType }) => reportType))).toEqual(new Set(Object.keys(storedTypeRows)))
    expect(new Set(reports.map(({ siteId }) => siteId))).toEqual(new Set(options.siteIds))
  })

  test('fall in the window, crowded at the edges of minutes, with ties', () => {
    const times = reports.map(({ receivedAt }) => receivedAt)
    expect(times.every((time) => time >= options.from.getTime() && time < options.to.getTime())).toBe(true)
    expect(new Set(times).size).toBeLessThan(times.length / 2)
    const near = times.filter((time) => Math.abs(time - Math.round(time / 60_000) * 60_000) <= 1)
    expect(near.length).toBeGreaterThan(times.length / 2)
  })

  test('have ids of their own that start with their time', () => {
    expect(new Set(reports.map(({ id }) => id)).size).toBe(reports.length)
    for (const { id, receivedAt } of reports) {
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7000-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      expect(Number.parseInt(id.replace('-', '').slice(0, 12), 16)).toBe(receivedAt)
    }
  })

  test('weigh what their sample rate says, to the millionth', () => {
    expect(new Set(reports.map(({ weight }) => weight))).toEqual(
      new Set([unitWeight, 2_000_000, 3_000_000, 10_000_000, 20_000_000]),
    )
    for (const { weight, sampleRate } of reports) expect(weight).toBe(Math.round(unitWeight / sampleRate))
  })

  test('carry a dimension, known and unknown, just where their type does', () => {
    for (const dimension of dimensionNames) {
      for (const type of reportTypeNames) {
        const row: { readonly carries: readonly string[] } = reportTypeRows[type]
        if (!row.carries.includes(dimension)) continue
        const values = new Set(reports.filter((one) => one.reportType === type).map((one) => one[dimension]))
        expect(values.has('')).toBe(true)
        expect(values.size).toBeGreaterThan(2)
      }
    }
    const without = reports.filter(({ reportType }) => reportType === 'network-error' || reportType === 'crash')
    expect(without.every(({ disposition, directive }) => disposition === '' && directive === '')).toBe(true)
  })

  test('refuse a window that holds no moment', () => {
    expect(() => randomReports({ ...options, to: options.from })).toThrow(RangeError)
  })
})

describe('a report', () => {
  test('differs just where it is told to', () => {
    expect(aReport({ feature: 'camera' })).toEqual({
      ...aReport(),
      feature: 'camera',
    })
    expect(aReport({ receivedAt: 0 }).id).toMatch(/^00000000-0000-7000-/)
  })
})

describe('seeded chance', () => {
  test('stays within its bounds', () => {
    const random = seeded(3)
    for (let round = 0; round < 5_000; round += 1) {
      expect(random.below(3)).toBeLessThan(3)
      expect([4, 5, 6]).toContain(random.between(4, 6))
      expect(['a', 'b', 'c']).toContain(random.pickSkewed(['a', 'b', 'c']))
    }
    expect(random.hex(13)).toMatch(/^[0-9a-f]{13}$/)
    expect(() => random.pick([])).toThrow(RangeError)
  })

  test('draws by weight', () => {
    const random = seeded(4)
    const draw = weighted([
      [0, 'never'],
      [1, 'seldom'],
      [9, 'often'],
    ])
    const drawn = Array.from({ length: 10_000 }, () => draw(random))
    expect(drawn).not.toContain('never')
    expect(drawn.filter((value) => value === 'seldom').length / 1_000).toBeCloseTo(1, 0)
    expect(() => weighted([])).toThrow(RangeError)
  })
})
