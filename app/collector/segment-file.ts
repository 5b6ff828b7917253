/**
 * @module Bytes of a segment: a head with the columns of its rows, then one record per post. A record has a marker, by
 * which the next record after damage is found, its length, and the CRC of its bytes.
 */

import { crc32 } from 'node:zlib'
import { z } from 'zod'

/** Rows of one post. */
export interface PostRecord {
  readonly tenantId: string
  readonly siteId: string
  /** SHA-256 of the token that it was posted to. */
  readonly tokenHash: string
  readonly receivedAt: number
  readonly reports: number
  /** True if all its issues and scripts were stored before it was posted. */
  readonly isKnown?: boolean | undefined
  /** Lines of JSONCompactEachRow. */
  readonly lines: Buffer
}

export interface SegmentContent {
  readonly columns: readonly string[]
  readonly records: readonly PostRecord[]
  /** Bytes that are no record; empty in a sound segment. */
  readonly damage: Buffer
  /** True for damage that no later record proves to have been synced, such as an unacknowledged post. */
  readonly isTorn: boolean
}

export const tenantsOf = (rows: readonly { readonly tenantId: string }[]): string[] => [
  ...new Set(rows.map(({ tenantId }) => tenantId)),
]

const word = Buffer.from('SRL1')
const prefixBytes = word.length + 8
const lineEnd = 0x0a

const head = z.object({ format: z.literal(1), columns: z.array(z.string()) })
const recordHead = z.object({
  tenantId: z.string(),
  siteId: z.string(),
  tokenHash: z.string(),
  receivedAt: z.number(),
  reports: z.int(),
  isKnown: z.boolean().optional(),
  /** Bytes of the segment that were synced before the record was written. */
  synced: z.int(),
})

function encode(payload: Buffer): Buffer {
  const prefix = Buffer.alloc(prefixBytes)
  word.copy(prefix)
  prefix.writeUInt32BE(payload.length, word.length)
  prefix.writeUInt32BE(crc32(payload), word.length + 4)
  return Buffer.concat([prefix, payload])
}

export const encodeHead = (columns: readonly string[]): Buffer =>
  encode(Buffer.from(JSON.stringify({ format: 1, columns })))

export const encodeRecord = ({ lines, ...own }: PostRecord, synced = 0): Buffer =>
  encode(Buffer.concat([Buffer.from(`${JSON.stringify({ ...own, synced })}\n`), lines]))

function payloadAt(bytes: Buffer, at: number): Buffer | undefined {
  const start = at + prefixBytes
  if (start > bytes.length || bytes.compare(word, 0, word.length, at, at + word.length) !== 0) return undefined
  const end = start + bytes.readUInt32BE(at + word.length)
  // A page of zeros, which a power cut leaves of a file, is the length and the CRC of no bytes.
  if (end === start || end > bytes.length) return undefined
  const payload = bytes.subarray(start, end)
  return crc32(payload) === bytes.readUInt32BE(at + word.length + 4) ? payload : undefined
}

/**
 * Start of the next readable record; rows contain no such prefix, because JSON escapes the first byte of its length.
 */
function findNext(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(word, from); at >= 0; at = bytes.indexOf(word, at + 1)) {
    if (payloadAt(bytes, at)) return at
  }
  return bytes.length
}

/** Undefined if its head is damaged or has a later format. */
export function readSegment(bytes: Buffer): SegmentContent | undefined {
  const first = payloadAt(bytes, 0)
  const parsed = first && head.safeParse(JSON.parse(first.toString('utf8')))
  if (!first || !parsed?.success) return undefined
  const records: PostRecord[] = []
  const damage: Buffer[] = []
  let [firstDamage, synced] = [bytes.length, 0]
  for (let at = prefixBytes + first.length; at < bytes.length; ) {
    const payload = payloadAt(bytes, at)
    if (payload) {
      const end = payload.indexOf(lineEnd)
      const own = recordHead.parse(JSON.parse(payload.toString('utf8', 0, end)))
      synced = Math.max(synced, own.synced)
      records.push({ ...own, lines: payload.subarray(end + 1) })
      at += prefixBytes + payload.length
    } else {
      const next = findNext(bytes, at + 1)
      firstDamage = Math.min(firstDamage, at)
      damage.push(bytes.subarray(at, next))
      at = next
    }
  }
  return { columns: parsed.data.columns, records, damage: Buffer.concat(damage), isTorn: synced <= firstDamage }
}
