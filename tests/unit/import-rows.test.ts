import { describe, expect, test } from 'vitest'
import { reportIds } from '../../app/import/report-id.ts'
import { rowCollectors } from '../../app/import/row-parts.ts'
import { textChunks } from '../../app/import/text-chunks.ts'
import { normalisedBody } from '../support/normalised.ts'

const token = 'a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90'

/** What was written, read byte by byte. */
function read(chunks: readonly Buffer[]): string[] {
  const bytes = Buffer.concat(chunks)
  const texts: string[] = []
  for (let at = 0; at < bytes.length; ) {
    let length = 0
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] ?? 0
      length |= (byte & 0x7f) << shift
      if (byte < 0x80) break
    }
    texts.push(bytes.toString('utf8', at, at + length))
    at += length
  }
  return texts
}

describe('texts', () => {
  const lengths = [0, 1, 39, 40, 41, 42, 43, 63, 64, 127, 128, 129, 5_461, 5_462, 16_383, 16_384, 32_768, 100_000]
  const texts = ['x', 'é', '€', '😀', '\0', '\t\\\n'].flatMap((text) =>
    lengths.map((length) => text.repeat(Math.ceil(length / text.length)).slice(0, length - (length % text.length))),
  )

  test('of any length and any width are written as they are, with their length in bytes', () => {
    const written = textChunks()
    const bytes = texts.map((text) => written.add(text)).reduce((sum, taken) => sum + taken)
    const chunks = written.chunks()
    expect(read(chunks)).toEqual(texts)
    expect(Buffer.concat(chunks)).toHaveLength(bytes)
  })

  test('can be read again as they are added', () => {
    const written = textChunks()
    for (const text of texts) {
      written.add(text)
      expect(written.last()).toBe(text)
    }
  })

  test('use the memory of texts that are done with, and not before', () => {
    const [first, second] = [textChunks(), textChunks()]
    first.add('first')
    const memory = first.chunks()[0]?.buffer
    second.add('second')
    expect(second.chunks()[0]?.buffer).not.toBe(memory)
    first.clear()
    const third = textChunks()
    third.add('third')
    expect(third.chunks()[0]?.buffer).toBe(memory)
    expect(read(first.chunks())).toEqual([])
  })
})

describe('parts', () => {
  const report = normalisedBody('crash', { reason: 'oom', stack: 'x'.repeat(10_000) })
  const limits = { rows: 1_000, bytes: 50_000 }
  const stacks = (chunks: readonly Buffer[]) =>
    Buffer.concat(chunks)
      .toString()
      .match(/x{10000}/g)?.length

  test.each([
    ['text', limits],
    ['rows', { ...limits, rows: 5, bytes: 1_000_000 }],
  ])('end with the row that reaches their most %s, and lose none', (_what, given) => {
    const collector = rowCollectors(given)()
    const parts = Array.from({ length: 12 }, () => collector.add(report)).filter((part) => part !== undefined)
    const rest = collector.rest()
    expect(parts.map(({ rows }) => rows)).toEqual([5, 5])
    expect(rest?.rows).toBe(2)
    expect([...parts, ...(rest ? [rest] : [])].map(({ chunks }) => stacks(chunks))).toEqual([5, 5, 2])
    expect(collector.rest()).toBeUndefined()
  })

  test('are whole while others are collected, and use the memory of those that were sent', () => {
    const collect = rowCollectors({ ...limits, rows: 1 })
    const first = collect().add(report)
    const bytes = Buffer.concat(first?.chunks ?? [])
    const other = collect().add({ ...report, stack: 'other', feature: 'other' })
    expect(Buffer.concat(first?.chunks ?? []).equals(bytes)).toBe(true)
    other?.release()
    const again = collect().add(report)
    expect(Buffer.concat(again?.chunks ?? []).equals(bytes)).toBe(true)
    const memory = new Set(other?.chunks.map(({ buffer }) => buffer))
    expect(again?.chunks.some(({ buffer }) => memory.has(buffer))).toBe(true)
  })

  test('are as long in memory that was used before', () => {
    const collector = rowCollectors(limits)()
    const rows = Array.from({ length: 15 }, () => {
      const part = collector.add(report)
      part?.release()
      return part?.rows
    })
    expect(rows.filter((count) => count !== undefined)).toEqual([5, 5, 5])
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
