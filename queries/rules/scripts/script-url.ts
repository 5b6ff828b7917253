const maxLength = 8_192

/** A script's identity (Rule 53), without user and password; '' for text that is no http(s) URL. Idempotent. */
export function scriptUrl(text: string): string {
  if (text.length > 4 * maxLength || !/^\s*https?:/i.test(text) || !URL.canParse(text)) return ''
  const { origin, pathname } = new URL(text)
  const url = origin + pathname
  return url.length > maxLength ? '' : url
}
