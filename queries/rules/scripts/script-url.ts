/** A longer URL is not taken for a script's. */
const longest = 8_192

/**
 * A script's identity: its URL as browsers write it, without user, password, query and fragment (contract, Script). ''
 * for text that is not an http or https URL. An identity is its own identity.
 */
export function scriptUrl(text: string): string {
  if (text.length > 4 * longest || !/^\s*https?:/i.test(text) || !URL.canParse(text)) return ''
  const { origin, pathname } = new URL(text)
  const url = origin + pathname
  return url.length > longest ? '' : url
}
