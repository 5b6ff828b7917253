import { describe, expect, test } from 'vitest'
import { insertToken } from '../../../../../app/import/reports/batch-importer.ts'
import { firstToken } from '../../../../../app/import/reports/import-reports.ts'
import { collectBlocks } from '../../../../../app/import/reports/insert-block.ts'
import { reportIds } from '../../../../../app/import/reports/report-id.ts'
import { normalisedBody } from '../../../../support/normalised.ts'

const token = 'a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90'

describe('insert blocks', () => {
  const report = normalisedBody('crash', { reason: 'oom', stack: 'x'.repeat(10_000) })
  const limits = { rows: 1_000, bytes: 1_000_000 }
  const stacks = (chunks: readonly Buffer[]) =>
    Buffer.concat(chunks)
      .toString()
      .match(/x{10000}/g)?.length

  test('an insert block ends with the row that reaches the row limit, and loses none', () => {
    const collector = collectBlocks({ ...limits, rows: 5 })
    const blocks = Array.from({ length: 12 }, () => collector.add(report)).filter((block) => block !== undefined)
    const rest = collector.rest()
    expect(blocks.map(({ rows }) => rows)).toEqual([5, 5])
    expect(rest?.rows).toBe(2)
    expect([...blocks, ...(rest ? [rest] : [])].map(({ chunks }) => stacks(chunks))).toEqual([5, 5, 2])
    expect(collector.rest()).toBeUndefined()
  })

  test('an insert block ends within 256 KB of the byte limit, and loses no row', () => {
    const collector = collectBlocks(limits)
    const blocks = Array.from({ length: 300 }, () => collector.add(report)).filter((block) => block !== undefined)
    const whole = [...blocks, collector.rest()].map((block) => Buffer.concat(block?.chunks ?? []))
    expect(blocks).toHaveLength(2)
    for (const { length } of whole) expect(length).toBeLessThan(limits.bytes + 300_000)
    expect(whole.reduce((sum, bytes) => sum + (stacks([bytes]) ?? 0), 0)).toBe(300)
  })
})

describe('report ids', () => {
  const time = Date.UTC(2026, 10, 21)

  test('report ids are UUIDv7s of the receipt time', () => {
    const id = reportIds(token)(1, time)
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7000-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(time)
  })

  test('report ids are equal for one ordinal of one batch, and differ otherwise', () => {
    const [one, again, other] = [reportIds(token), reportIds(token), reportIds(token.replace('a', 'b'))]
    expect(one(7, time)).toBe(again(7, time))
    expect(one(7, time)).not.toBe(other(7, time))
    const ids = new Set(Array.from({ length: 200_000 }, (_, ordinal) => one(ordinal, time)))
    expect(ids.size).toBe(200_000)
  })

  test('report ids of one millisecond order by their second half alone', () => {
    const make = reportIds(token)
    const firstHalves = new Set(Array.from({ length: 100 }, (_, ordinal) => make(ordinal, time).slice(0, 18)))
    expect(firstHalves.size).toBe(1)
  })
})

test('tokens differ by tenant, site and first line, and insert tokens by hosts, range and ordinal', () => {
  const first = [
    ...[firstToken('a', undefined), firstToken('b', undefined), firstToken('a', 'b')],
    firstToken('a', undefined, 'digest'),
  ]
  expect(new Set(first).size).toBe(4)
  const batch = { token, hosts: ['b.test'], storedFrom: 1 }
  const inserts = [
    insertToken(batch, 0),
    insertToken(batch, 1),
    insertToken({ ...batch, hosts: ['c.test'] }, 0),
    insertToken({ ...batch, hosts: [] }, 0),
    insertToken({ ...batch, storedFrom: 0 }, 0),
  ]
  expect(new Set(inserts).size).toBe(5)
  expect(insertToken({ ...batch }, 0)).toBe(inserts[0])
})
