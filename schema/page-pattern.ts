import { z } from 'zod'
import { parseUrl } from './parse-url.ts'

const maxLength = 2_048

function isWeb({ protocol, username, password }: URL): boolean {
  return /^https?:$/.test(protocol) && username === '' && password === ''
}

/** Written as browsers write a page's URL; any other pattern would match none. */
function isPattern(text: string): boolean {
  const url = parseUrl(text)
  if (!url || !isWeb(url) || url.href !== text || /[?#]/.test(text) || url.host.includes('*')) return false
  const [last = '', ...others] = url.pathname.split('/').reverse()
  return !others.some((segment) => segment.includes('**')) && (last === '**' || !last.includes('**'))
}

/** Rule 61. */
export const pagePattern = z.string().min(1).max(maxLength).refine(isPattern, {
  error:
    'must be scheme://host/path as a browser writes it, http or https, without user, query and fragment; * stands within a path segment, ** only as the whole last one',
})

export const scanUrl = z
  .string()
  .min(1)
  .max(maxLength)
  .refine(
    (text) => {
      const url = parseUrl(text)
      return url !== undefined && isWeb(url) && /^https?:\/\/[!-"$-~]+$/i.test(text)
    },
    { error: 'must be an http or https URL in ASCII, without user and fragment' },
  )
