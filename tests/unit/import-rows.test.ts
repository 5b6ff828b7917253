import { describe, expect, test } from 'vitest'
import { reportIds } from '../../app/import/report-id.ts'
import { longestRow, rowColumns, writeRow } from '../../app/import/report-row.ts'
import { rowCollectors } from '../../app/import/row-parts.ts'
import { textLimits } from '../../app/import/text-limits.ts'
import { reportColumns, type StoredReport } from '../../schema/stored-report.ts'
import { normalisedBody } from '../support/normalised.ts'

const token = 'a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90'

function cells(report: StoredReport): Map<string, string> {
  const buffer = Buffer.alloc(longestRow)
  const row = buffer.toString('utf8', 0, writeRow(report, buffer, 0))
  expect(row.endsWith('\n')).toBe(true)
  const values = row.slice(0, -1).split('\t')
  expect(values).toHaveLength(rowColumns.length)
  return new Map(rowColumns.map((column, index) => [column, values[index] ?? '']))
}

describe('a row', () => {
  test('has every column of the stored report, in order', () => {
    expect(rowColumns).toEqual(Object.values(reportColumns))
  })

  test('writes times, numbers, flags and what is not known', () => {
    const report = normalisedBody('crash', { is_top_level: false, anticipatedRemoval: 5 })
    report.receivedAt = Date.UTC(2026, 10, 21, 4, 29, 53, 888)
    report.anticipatedRemoval = Date.UTC(2027, 0, 1)
    const row = cells(report)
    expect(row.get('received_at')).toBe('2026-11-21T04:29:53.888Z')
    expect(row.get('anticipated_removal')).toBe('2027-01-01T00:00:00.000Z')
    expect(row.get('is_top_level')).toBe('0')
    expect(row.get('elapsed_ms')).toBe('\\N')
    expect(row.get('line_number')).toBe('0')
    expect(row.get('sample_rate')).toBe('1')
    expect(row.get('message')).toBe('')
  })

  test.each([
    ['short', 'a\tb\nc\\d\re'],
    ['long', `a\tb\nc\\d\re${'x'.repeat(100)}`],
    ['not ASCII', 'é\t😀'],
    ['the mark of null', '\\N'],
  ])('escapes %s text', (_name, message) => {
    const escaped = message
      .replaceAll('\\', '\\\\')
      .replaceAll('\t', '\\t')
      .replaceAll('\n', '\\n')
      .replaceAll('\r', '\\r')
    expect(cells(normalisedBody('intervention', { message })).get('message')).toBe(escaped)
  })

  test('fits the room kept for it when every text is as long and as wide as it can be', () => {
    const report = normalisedBody('crash', {})
    for (const [field, limit] of Object.entries(textLimits)) {
      Object.assign(report, { [field]: '€'.repeat(limit) })
    }
    const buffer = Buffer.alloc(longestRow + 1, 0xff)
    expect(writeRow(report, buffer, 0)).toBeLessThanOrEqual(longestRow)
    for (const [field, limit] of Object.entries(textLimits)) {
      Object.assign(report, { [field]: '\\'.repeat(limit) })
    }
    expect(writeRow(report, buffer, 0)).toBeLessThanOrEqual(longestRow)
  })
})

describe('parts', () => {
  const report = normalisedBody('crash', { reason: 'oom', stack: 'x'.repeat(10_000) })

  test('end with the row that reaches their size, and lose none', () => {
    const collector = rowCollectors(50_000)()
    const parts = Array.from({ length: 12 }, () => collector.add(report)).filter((part) => part !== undefined)
    const rest = collector.rest()
    expect(parts.map(({ rows }) => rows)).toEqual([5, 5])
    expect(rest?.rows).toBe(2)
    const text = Buffer.concat([...parts, ...(rest ? [rest] : [])].flatMap(({ chunks }) => chunks)).toString()
    expect(text.split('\n').filter((line) => line.includes('oom'))).toHaveLength(12)
    expect(collector.rest()).toBeUndefined()
  })

  test('use the memory of parts that were sent', () => {
    const collector = rowCollectors(1_000)()
    const first = collector.add(report)
    const memory = first?.chunks[0]?.buffer
    first?.release()
    expect(collector.add(report)?.chunks[0]?.buffer).toBe(memory)
  })
})

describe('ids', () => {
  const time = Date.UTC(2026, 10, 21)

  test('are UUIDv7s of the time', () => {
    const id = reportIds(token)(1, time)
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7000-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(time)
  })

  test('are the same for the same place in the same batch, and differ otherwise', () => {
    const [one, again, other] = [reportIds(token), reportIds(token), reportIds(token.replace('a', 'b'))]
    expect(one(7, time)).toBe(again(7, time))
    expect(one(7, time)).not.toBe(other(7, time))
    const ids = new Set(Array.from({ length: 200_000 }, (_, ordinal) => one(ordinal, time)))
    expect(ids.size).toBe(200_000)
  })

  test('of one millisecond order by their second half alone', () => {
    const make = reportIds(token)
    const firstHalves = new Set(Array.from({ length: 100 }, (_, ordinal) => make(ordinal, time).slice(0, 18)))
    expect(firstHalves.size).toBe(1)
  })
})
