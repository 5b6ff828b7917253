import { expect, test } from 'vitest'
import { fewRowsEach, groupMonths, type RollupMonth } from '../../../../clickhouse/rollups/rollup-months.ts'

const [november, december] = [new Date('2026-11-01'), new Date('2026-12-01')]
const clipped = new Date('2026-11-20')

function month(tenantId: string, rows: number, given: Partial<RollupMonth> = {}): RollupMonth {
  return { tenantId, partition: '202611', from: november, to: december, retentionDays: 30, rows, ...given }
}

const tenantsOf = (months: readonly RollupMonth[]) => groupMonths(months).map(({ tenantIds }) => tenantIds)

test('tenants with few rows are one group a month, and one with many is a group of its own', () => {
  const months = [month('a', 1), month('b', 99_999), month('c', 2), month('large', 5_000_000), month('d', 3)]
  expect(tenantsOf(months)).toEqual([['a', 'b'], ['c'], ['large'], ['d']])
})

test('a group has the tenants of one month and of one first day', () => {
  const october = { partition: '202610', from: new Date('2026-10-01'), to: november }
  const months = [month('a', 1, october), month('a', 1), month('b', 1, { from: clipped }), month('c', 1)]
  expect(groupMonths(months)).toEqual([
    { tenantIds: ['a'], ...october, rows: 1 },
    { tenantIds: ['a', 'c'], partition: '202611', from: november, to: december, rows: 2 },
    { tenantIds: ['b'], partition: '202611', from: clipped, to: december, rows: 1 },
  ])
})

test('a group has 100 tenants at most', () => {
  const months = Array.from({ length: 250 }, (_, index) => month(String(index), 0))
  expect(tenantsOf(months).map(({ length }) => length)).toEqual([100, 100, 50])
})

test('one statement reads several months of few rows, of up to 100 tenants', () => {
  const group = (partition: string, tenants: number, rows: number) => {
    const tenantIds = Array.from({ length: tenants }, (_, index) => String(index))
    return { partition, from: november, to: december, tenantIds, rows }
  }
  const groups = [group('1', 1, 50_000), group('2', 1, 50_000), group('3', 1, 1), group('4', 99, 1), group('5', 1, 1)]
  const batches = fewRowsEach([...groups, group('6', 1, 5_000_000)])
  expect(batches.map((batch) => batch.map(({ partition }) => partition))).toEqual([
    ['1', '2'],
    ['3', '4'],
    ['5'],
    ['6'],
  ])
})
