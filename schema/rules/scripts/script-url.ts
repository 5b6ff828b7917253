import { parseUrl } from '../../parse-url.ts'

const maxLength = 8_192

/** A script's identity (Rule 53), without user and password; '' if the text is not an http(s) URL. Idempotent. */
export function scriptUrl(text: string): string {
  const parsed = text.length <= 4 * maxLength && /^\s*https?:/i.test(text) ? parseUrl(text) : undefined
  if (!parsed) return ''
  const url = parsed.origin + parsed.pathname
  return url.length > maxLength ? '' : url
}
