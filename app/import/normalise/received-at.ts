import { parseDateTime } from '../../../schema/params.ts'

/** The rollups' buckets and the end of retention are 32-bit times, which end in 2106; some years are left for retention. */
const latest = Date.UTC(2100, 0, 1)

/** Collectors write more digits of a second than are stored, and a space for the `T` (RFC 3339, 5.6). */
const asStored = (text: string) => text.replace(/^(\S{10}) /, '$1T').replace(/(\.\d{3})\d{1,6}(?=\D)/, '$1')

/** RFC 3339 with `Z` or an offset as milliseconds since the epoch, 1970 up to 2100; undefined for anything else. */
export function readReceivedAt(value: unknown): number | undefined {
  const time = typeof value === 'string' && value.length <= 64 ? parseDateTime(asStored(value))?.getTime() : undefined
  return time !== undefined && time > 0 && time < latest ? time : undefined
}
