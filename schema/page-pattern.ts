import { z } from 'zod'
import { parseUrl } from './parse-url.ts'

const maxLength = 2_048

const maxShown = 200
const example = 'such as https://shop.example.com/pay'

/** Undefined if the URL is valid. */
function refusalOfUrl(text: string): string | undefined {
  const url = parseUrl(text)
  if (Number(/^https?:\/\/[^/?#]*:(\d+)(?=[/?#]|$)/i.exec(text)?.[1]) > 65_535)
    return 'must have a port from 1 to 65535'
  if (!url || !/^https?:\/\//i.test(text)) return `must be an http or https URL ${example}`
  if (url.username !== '' || url.password !== '') return 'must have no user or password'
  if (text.includes('#')) return 'must have no fragment (#)'
  return /^[!-~]+$/.test(text) ? undefined : `must be ASCII without spaces${asWritten(url)}`
}

const asWritten = ({ href }: URL) => (href.length <= maxShown ? `: ${href}` : '')

/** Undefined for a pattern in the form of browsers' URLs; others would never match. */
function refusalOfPattern(text: string): string | undefined {
  const url = parseUrl(text)
  if (!url || !/^https?:\/\//i.test(text)) {
    return 'must be scheme://host/path with http or https; * matches within a path segment, and ** as the last segment matches the rest'
  }
  if (url.username !== '' || url.password !== '') return 'must have no user or password'
  if (/[?#]/.test(text)) return 'must have no query or fragment'
  if (url.host.includes('*')) return 'must have a host without *'
  if (url.href !== text) return `must be in the form that browsers use${asWritten(url)}`
  const [last = '', ...others] = url.pathname.split('/').reverse()
  const isUsual = !others.some((segment) => segment.includes('**')) && (last === '**' || !last.includes('**'))
  return isUsual ? undefined : 'must have ** only as the whole last path segment'
}

const urlText = (refusalOf: (text: string) => string | undefined) =>
  z
    .string()
    .min(1, { abort: true })
    .max(maxLength, { abort: true })
    .superRefine((text, context) => {
      const message = refusalOf(text)
      if (message !== undefined) context.addIssue({ code: 'custom', message })
    })

/** Rule 61. */
export const pagePattern = urlText(refusalOfPattern)

export const scanUrl = urlText(refusalOfUrl)
