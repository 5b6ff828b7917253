export function quoteInput(value: unknown, maxLength = 64): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
  const short = text.length > maxLength ? `${text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '')}…` : text
  return typeof value === 'string' ? JSON.stringify(short) : short
}
