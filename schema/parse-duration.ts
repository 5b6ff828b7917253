import { dayMs, hourMs, minuteMs } from './durations.ts'

const unitMs = { m: minuteMs, h: hourMs, d: dayMs, w: 7 * dayMs } as const

const short = /^(\d{1,6})([mhdw])$/
/** ISO 8601 without years, months and seconds; weeks cannot be combined with other units. */
const iso = /^P(?=[\dT])(?:(?<w>\d{1,6})W|(?:(?<d>\d{1,6})D)?(?:T(?=\d)(?:(?<h>\d{1,6})H)?(?:(?<m>\d{1,6})M)?)?)$/

/** Both notations as a JSON Schema pattern, which has no named groups. */
export const durationPattern = `${short.source}|${iso.source.replace(/\?<\w>/g, '')}`

/** Milliseconds of `24h`, `7d`, `PT90M` or `P1DT12H`; undefined for other texts. */
export function parseDuration(text: string): number | undefined {
  const [, count, unit] = short.exec(text) ?? []
  if (count !== undefined) return Number(count) * unitMs[unit as keyof typeof unitMs]
  const groups = iso.exec(text)?.groups
  if (!groups) return undefined
  const units = Object.keys(unitMs) as (keyof typeof unitMs)[]
  return units.reduce((sum, name) => sum + Number(groups[name] ?? 0) * unitMs[name], 0)
}
