/** @module Removes visitors' secrets from URLs before they are stored (Rule 79). */

import type { UrlMode } from '../../../schema/enumerations.ts'

export interface UrlSettings {
  /** `whole` by default, as for sites from before the setting. */
  readonly urls?: UrlMode
  /** Parameters whose values are stored in the mode `names`. */
  readonly keep?: readonly string[]
}

/** Masks a URL, also a relative one. */
export type UrlMask = (url: string) => string

/** Undefined if URLs are stored whole. */
export function createUrlMask({ urls = 'whole', keep = [] }: UrlSettings): UrlMask | undefined {
  if (urls === 'whole') return undefined
  const kept = new Set(keep)
  return (url) => {
    const end = url.search(/[?#]/)
    if (end < 0) return maskPath(url)
    const path = maskPath(url.slice(0, end))
    return urls === 'paths' || url[end] === '#' ? path : path + maskQuery(url.slice(end + 1), kept)
  }
}

/** The start of a JSON web token, as a URL can be cut within one, or a mail address: its domain has at most 253 characters. */
const secret = /eyJ[\w-]{10}|.(?:@|%(?:25){0,3}40)[^@]{1,253}\.\D/i

/** File extensions that are not top-level domains, so that a file name is not read as a mail address. */
const isFile =
  /\.(?:m?js|css|map|json|xml|txt|pdf|wasm|x?html?|php\d?|aspx?|jspx?|cgi|png|jpe?g|gif|svg|webp|avif|ico|bmp|woff2?|ttf|otf|eot|mp[34]|webm|ogg)(?:;|$)/i

/** Words of a path whose next segment is a secret. */
const precedesSecret = /(?:^|[^a-z])(?:reset|verify|confirm|invite|token|magic|unsubscribe)(?:[^a-z]|$)/

/** Sees the words of `resetPassword`. */
const isWord = (segment: string) => precedesSecret.test(segment.replace(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase())

/** Few paths match; reading the segments of all takes 2 µs more per report. */
const isSuspect = /reset|verify|confirm|invite|token|magic|unsubscribe|eyJ|[@%;]/i

const mask = '*'

function maskPath(text: string): string {
  if (!isSuspect.test(text)) return text
  const authority = text.indexOf('://')
  const start = authority < 0 ? 0 : text.indexOf('/', authority + '://'.length)
  if (start < 0) return text
  let previous: 'word' | 'secret' | undefined
  const segments = text.slice(start).split(/([\\/]|%2f)/i)
  const masked = segments.map((segment, index) => {
    if (index % 2 === 1 || segment === '') return segment
    // Frameworks write the token after an id: /reset/MQ/c2x-1f0/, /verify/12/9f3a.
    const follows = previous === 'word' || (previous === 'secret' && /\d/.test(segment))
    const isMasked = !isFile.test(segment) && (follows || secret.test(segment))
    previous = isWord(segment) ? 'word' : follows ? 'secret' : undefined
    return isMasked ? mask : segment.replaceAll(/(;[^;=]*=)[^;]*/g, '$1')
  })
  return text.slice(0, start) + masked.join('')
}

/** Longest name that can have an empty value: a longer one is Base64 with padding. */
const longestEmpty = 16

/** Names with `=`: a parameter without one is a value. */
function maskQuery(query: string, kept: ReadonlySet<string>): string {
  const parameters = query.replace(/#.*/s, '').split('&')
  const masked = parameters.flatMap((parameter) => {
    const [name = ''] = parameter.split('=', 1)
    const value = parameter.slice(name.length + 1)
    if (kept.has(name) && !secret.test(value)) return parameter
    const isPadded = value === '=' || (value === '' && name.length > longestEmpty)
    return name === '' || name === parameter || isPadded || secret.test(name) ? [] : `${name}=`
  })
  return masked.length === 0 ? '' : `?${masked.join('&')}`
}

/** A space or a quote, which browsers encode, ends a URL. */
const urlInText = /:\/\/[^\s"<>]+/g

/** Line and column of a stack frame, and punctuation. */
const behindUrl = /(?::\d{1,9}:\d{1,9})?[)\]'`,.;:!?]{0,8}$/

/** Masks the absolute URLs of a text. */
export function maskText(text: string, maskUrl: UrlMask): string {
  return text.replaceAll(urlInText, (url) => {
    const end = url.search(behindUrl)
    return maskUrl(url.slice(0, end)) + url.slice(end)
  })
}
