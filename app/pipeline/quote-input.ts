const longestEcho = 64

/** What was sent, as JSON and cut short, so that a message stays readable. */
export function echo(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
  const cut = text.length > longestEcho ? `${text.slice(0, longestEcho).replace(/[\ud800-\udbff]$/, '')}…` : text
  return typeof value === 'string' ? JSON.stringify(cut) : cut
}
