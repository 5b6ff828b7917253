import { hourMs } from '../../../schema/durations.ts'

/** Longer than any pause between two attempts. */
const longestRetryMs = 12 * hourMs

/** Time of a Retry-After header, which has seconds or a date (RFC 9110), at most 12 h from now. */
export function retryTime(header: string, now: Date): Date | undefined {
  const text = header.trim()
  const time = /^\d+$/.test(text) ? now.getTime() + Number(text) * 1000 : Date.parse(text)
  return Number.isNaN(time) ? undefined : new Date(Math.min(time, now.getTime() + longestRetryMs))
}
