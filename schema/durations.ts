/** Durations in milliseconds; a day is a day of UTC, which has no other length. */
export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs
