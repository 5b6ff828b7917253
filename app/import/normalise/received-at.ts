import { parseDateTime } from '../../../schema/params.ts'

/** 32-bit times end in 2106, and the end of retention must fit. */
const latest = Date.UTC(2100, 0, 1)

/** Cuts digits below a millisecond, and accepts a space for the `T` (RFC 3339, 5.6). */
const asStored = (text: string) => text.replace(/^(\S{10}) /, '$1T').replace(/(\.\d{3})\d{1,6}(?=\D)/, '$1')

/** Milliseconds since the epoch of an RFC 3339 time from 1970 to 2099; undefined for anything else. */
export function readReceivedAt(value: unknown): number | undefined {
  const time = typeof value === 'string' && value.length <= 64 ? parseDateTime(asStored(value))?.getTime() : undefined
  return time !== undefined && time >= 0 && time < latest ? time : undefined
}
