import { describe, expect, test } from 'vitest'
import { firstToken, insertToken, planPasses } from '../../app/import/batch-passes.ts'
import type { KnownPass } from '../../app/import/import-ledger.ts'

const batch = { token: 't1', ends: [10, 20] }
const plan = (earlier: KnownPass[], hosts: string[]) => planPasses(batch, 't0', earlier, hosts, 5_000)
const pass = (hosts: string[], done: boolean): KnownPass => ({
  previousToken: 't0',
  token: 't1',
  lines: 2,
  hosts,
  importedAt: 1_000,
  done,
})

describe('a batch', () => {
  test('that is new has one pass with every host', () => {
    const { passes, passOf } = plan([], ['b.test', '*.a.test'])
    expect(passes).toEqual([{ ...pass(['*.a.test', 'b.test'], false), importedAt: 5_000 }])
    expect([passOf('b.test'), passOf('')]).toEqual([0, 0])
  })

  test('that was begun is sent again as it was', () => {
    expect(plan([pass(['b.test'], false)], ['b.test']).passes).toEqual([pass(['b.test'], false)])
  })

  test('that is done is not sent again', () => {
    expect(plan([pass(['b.test'], true)], ['b.test']).passes).toEqual([pass(['b.test'], true)])
  })

  test('is sent again for hosts that the sites gained, and only for them', () => {
    const { passes, passOf } = plan([pass(['*.a.test', 'b.test'], true)], ['b.test', '*.a.test', 'c.test', 'x.a.test'])
    expect(passes).toEqual([pass(['*.a.test', 'b.test'], true), pass(['c.test', 'x.a.test'], false)])
    expect(['', 'b.test', 'x.a.test', 'y.a.test', 'c.test'].map(passOf)).toEqual([0, 0, 0, 0, 1])
  })

  test('keeps passes apart when a site’s host is gone', () => {
    const { passes, passOf } = plan([pass(['b.test'], true), pass(['c.test'], false)], ['c.test'])
    expect(passes).toHaveLength(2)
    expect(passOf('c.test')).toBe(1)
  })
})

test('tokens differ by tenant and site, and inserts by pass and part', () => {
  const first = [firstToken('a', undefined), firstToken('b', undefined), firstToken('a', 'b')]
  expect(new Set(first).size).toBe(3)
  const inserts = [
    insertToken(pass(['b.test'], true), 0),
    insertToken(pass(['b.test'], true), 1),
    insertToken(pass(['c.test'], true), 0),
    insertToken(pass([], true), 0),
  ]
  expect(new Set(inserts).size).toBe(4)
  expect(insertToken(pass(['b.test'], false), 0)).toBe(inserts[0])
})
