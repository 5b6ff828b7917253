import { describe, expect, test } from 'vitest'
import { chooseShard, type FilledShard, planMoves } from '../../../clickhouse/cluster/shard-sizes.ts'

const gigabyte = 1e9

describe('a new tenant lies on the shard', () => {
  test.each([
    ['with the fewest bytes, however many tenants it has', [500, 20, 300], [1, 40, 2], 2],
    ['with the fewest tenants, of shards that differ by less than a gigabyte', [20.4, 20, 300], [1, 40, 0], 1],
    ['that is first, of equal ones', [0, 0], [3, 3], 1],
  ])('%s', (_, sizes, tenants, expected) => {
    const shards = sizes.map((size, index) => ({
      number: index + 1,
      bytes: size * gigabyte,
      tenants: tenants[index] as number,
    }))
    expect(chooseShard(shards)).toBe(expected)
  })
})

const shard = (number: number, ...tenants: readonly number[]): FilledShard => ({
  number,
  bytes: tenants.reduce((sum, bytes) => sum + bytes, 0),
  tenants: tenants.map((bytes, index) => ({ id: `${number}-${index}`, bytes })),
})

describe('the plan of moves', () => {
  test('has none for shards of about the same size', () => {
    expect(planMoves([shard(1, 50, 55), shard(2, 100)])).toEqual([])
    expect(planMoves([shard(1), shard(2)])).toEqual([])
  })

  test('fills an empty shard with the tenant that halves the difference', () => {
    expect(planMoves([shard(1, 10, 50, 40), shard(2)])).toEqual([{ id: '1-1', from: 1, to: 2, bytes: 50 }])
  })

  test('has none where the one large tenant would only make another shard the largest', () => {
    expect(planMoves([shard(1, 100), shard(2, 5)])).toEqual([])
  })

  test('moves the small tenants away from one that is larger than a shard should be, not that one', () => {
    const moves = planMoves([shard(1, 169, 11, 10, 10), shard(2)])
    expect(moves.map(({ id }) => id).sort()).toEqual(['1-1', '1-2', '1-3'])
    expect(planMoves([shard(1, 60, 60), shard(2), shard(3)])).toEqual([{ id: '1-0', from: 1, to: 2, bytes: 60 }])
  })

  test('never makes the largest shard larger, moves a tenant once, and ends', () => {
    let seed = 1
    const random = () => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed / 2_147_483_647
    }
    for (let round = 0; round < 200; round++) {
      const shards = Array.from({ length: 2 + Math.floor(random() * 5) }, (_, index) =>
        shard(index + 1, ...Array.from({ length: Math.floor(random() * 12) }, () => Math.floor(random() ** 4 * 1000))),
      )
      const sizes = new Map(shards.map(({ number, bytes }) => [number, bytes]))
      const moves = planMoves(shards)
      expect(new Set(moves.map(({ id }) => id)).size).toBe(moves.length)
      for (const { from, to, bytes } of moves) {
        const largest = Math.max(...sizes.values())
        sizes.set(from, (sizes.get(from) ?? 0) - bytes)
        sizes.set(to, (sizes.get(to) ?? 0) + bytes)
        expect(Math.max(...sizes.values())).toBeLessThanOrEqual(largest)
      }
    }
  })
})
