import { parseDateTime, toMilliseconds } from '../../../schema/params.ts'
import { toNumber } from './field-aliases.ts'

/** 32-bit times end in 2106, and the end of retention must fit. */
const latest = Date.UTC(2100, 0, 1)

/** An epoch time below it is in seconds: as milliseconds it would be before 1973. */
const leastEpochMs = 100_000_000_000

/** Cuts digits below a millisecond; accepts a space for the `T` (RFC 3339, 5.6), and zones as Ruby and Java write them. */
const asStored = (text: string) =>
  toMilliseconds(text)
    .replace(/^(\S{10}) /, '$1T')
    .replace(/ ?([+-]\d\d):?(\d\d)$/, '$1:$2')
    .replace(/ UTC$/, 'Z')

/** Milliseconds since the epoch, from 1970 to 2099, for an RFC 3339 or epoch time; undefined for anything else. */
export function readReceivedAt(value: unknown): number | undefined {
  const time = epochTime(value) ?? dateTime(value)
  return time !== undefined && time >= 0 && time < latest ? time : undefined
}

/** Parses seconds or milliseconds, with or without a fraction, also as text, as nginx and Fluent Bit write them. */
function epochTime(value: unknown): number | undefined {
  const number = toNumber(value)
  return number === undefined ? undefined : Math.round(number < leastEpochMs ? number * 1_000 : number)
}

function dateTime(value: unknown): number | undefined {
  return typeof value === 'string' && value.length <= 64 ? parseDateTime(asStored(value))?.getTime() : undefined
}
