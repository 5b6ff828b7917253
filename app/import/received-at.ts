const rfc3339 = /^\d{4}-\d\d-(\d\d)[Tt ]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/

/** The rollups' buckets and the end of retention are 32-bit times, which end in 2106; some years are left for retention. */
const latest = Date.UTC(2100, 0, 1)

/** RFC 3339 with `Z` or an offset as milliseconds since the epoch, 1970 up to 2100; undefined for anything else. */
export function readReceivedAt(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined
  const day = rfc3339.exec(value)?.[1]
  if (day === undefined) return undefined
  const time = Date.parse(value.toUpperCase())
  if (!(time > 0 && time < latest)) return undefined
  // Date.parse rolls 31 February over to March.
  if (Number(day) > 28 && !isDay(value.slice(0, 10))) return undefined
  return time
}

function isDay(date: string): boolean {
  return new Date(`${date}T00:00:00Z`).toISOString().startsWith(date)
}
