// ES2024, in every Node since 20; the ES2023 library does not declare it.
const { toWellFormed } = String.prototype as unknown as { toWellFormed(this: string): string }

/** At most `limit` UTF-16 units; replaces lone surrogates and splits no pair. */
export function truncate(text: string, limit: number): string {
  if (text.length <= limit) return toWellFormed.call(text)
  const last = text.charCodeAt(limit - 1)
  const splitsPair = last >= 0xd800 && last <= 0xdbff
  return toWellFormed.call(text.slice(0, splitsPair ? limit - 1 : limit))
}
