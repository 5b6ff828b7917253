const hourMs = 3_600_000

/** Hour at which a zone last changed its clock, in milliseconds since the Unix epoch. */
export function lastClockChange(timeZone: string): number {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  const offsetAt = (time: number) => format.formatToParts(time).find(({ type }) => type === 'timeZoneName')?.value
  const now = Math.floor(Date.now() / hourMs) * hourMs
  // A day after the change, so that hours on both sides are past.
  for (let hour = now - 24 * hourMs; hour > now - 365 * 24 * hourMs; hour -= hourMs) {
    if (offsetAt(hour) !== offsetAt(hour - hourMs)) return hour
  }
  throw new Error(`${timeZone} changes no clock`)
}
