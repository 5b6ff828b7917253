import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeHead, encodeRecord, type PostRecord, readSegment } from '../../../../app/collector/segment-file.ts'

const columns = ['tenant_id', 'id']
const record = (lines: string): PostRecord => ({
  tenantId: 't',
  siteId: 's',
  tokenHash: 'h',
  receivedAt: 1,
  reports: 1,
  lines: Buffer.from(lines),
})

/** Each record knows that the bytes before its group were synced. */
function segmentOf(groups: readonly (readonly string[])[]) {
  const parts = [encodeHead(columns)]
  const ends: number[] = []
  let synced = parts[0]?.length ?? 0
  for (const group of groups) {
    for (const lines of group) {
      parts.push(encodeRecord(record(lines), synced))
      ends.push(Buffer.concat(parts).length)
    }
    synced = Buffer.concat(parts).length
  }
  return { bytes: Buffer.concat(parts), ends, start: parts[0]?.length ?? 0 }
}

const linesOf = (bytes: Buffer) => readSegment(bytes)?.records.map(({ lines }) => lines.toString())

const line = fc.string().map((text) => `${JSON.stringify([text])}\n`)
const groups = fc.array(fc.array(line, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 })

test('records are read as they were written', () => {
  fc.assert(
    fc.property(groups, (groups) => {
      const { bytes } = segmentOf(groups)
      expect(readSegment(bytes)).toMatchObject({ columns, damage: Buffer.alloc(0) })
      expect(linesOf(bytes)).toEqual(groups.flat())
    }),
  )
})

test('a segment that ends early, or in zeros, has every whole record, and a torn tail', () => {
  fc.assert(
    fc.property(groups, fc.nat(), fc.nat({ max: 40 }), (groups, at, zeros) => {
      const { bytes, ends, start } = segmentOf(groups)
      const length = start + (at % (bytes.length - start))
      const cut = Buffer.concat([bytes.subarray(0, length), Buffer.alloc(zeros)])
      expect(linesOf(cut)).toEqual(groups.flat().filter((_, index) => (ends[index] ?? 0) <= length))
      expect(readSegment(cut)?.isTorn).toBe(true)
    }),
  )
})

test('a changed byte loses one record, and is no torn tail where a later group was synced behind it', () => {
  fc.assert(
    fc.property(groups, fc.nat(), fc.integer({ min: 1, max: 255 }), (groups, at, change) => {
      const { bytes, ends, start } = segmentOf(groups)
      const changedAt = start + (at % (bytes.length - start))
      bytes[changedAt] = (bytes[changedAt] ?? 0) ^ change
      const lost = ends.findIndex((end) => changedAt < end)
      expect(linesOf(bytes)).toEqual(groups.flat().filter((_, index) => index !== lost))
      const groupOf = groups.flatMap((group, index) => group.map(() => index))
      const content = readSegment(bytes)
      expect(content?.damage.length).toBeGreaterThan(0)
      expect(content?.isTorn).toBe(groupOf[lost] === groups.length - 1)
    }),
  )
})

test('without a whole head there is nothing to read', () => {
  const { bytes } = segmentOf([['[1]\n']])
  expect(readSegment(bytes.subarray(0, 10))).toBeUndefined()
  expect(readSegment(Buffer.alloc(0))).toBeUndefined()
})
