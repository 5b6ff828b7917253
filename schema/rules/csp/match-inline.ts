/** @module Whether a list matches inline code: CSP3, 6.7.3.2 and 6.7.3.3. */

import { hash } from 'node:crypto'
import { isScript } from './governing-directive.ts'
import type { ListMatch } from './list-match.ts'
import type { ObservedRequest } from './observed-request.ts'
import type { HashSource, SourceList } from './source-list.ts'

/** Maximum UTF-16 units of code that browsers send (2.4.1); a shorter sample is complete. */
const sampleLength = 40

export const isAttribute = (directive: string): boolean => directive.endsWith('-attr')

/** All of the code: Firefox marks a cut with an ellipsis. */
export const isWhole = (sample: string): boolean =>
  sample !== '' && sample.length < sampleLength && !sample.endsWith('…') && !isJavaScriptUrl(sample)

/** The URL of a navigation, or code that begins with such a label. */
export const isJavaScriptUrl = (sample: string): boolean => /^\s*javascript:/i.test(sample)

/** Without padding. */
export const digestOf = (algorithm: HashSource['algorithm'], code: string): string =>
  hash(algorithm, code, 'base64').replace(/=+$/, '')

/** 6.7.3.2. */
export function allowsAllInline({ keywords, hashes, hasNonce }: SourceList, directive: string): boolean {
  if (!keywords.has("'unsafe-inline'") || hasNonce || hashes.length > 0) return false
  return !(isScript(directive) && keywords.has("'strict-dynamic'"))
}

/** @param violated the list that blocked it: what it has already cannot help. Undefined: it is unknown. */
export function matchInline(
  list: SourceList,
  violated: SourceList | undefined,
  { directive, detail, isDetailCut }: ObservedRequest,
): ListMatch {
  if (allowsAllInline(list, directive)) return { by: "'unsafe-inline'" }
  const isOfElement = !isAttribute(directive)
  const applies = ({ keywords }: SourceList) => isOfElement || keywords.has("'unsafe-hashes'")
  const had = violated && applies(violated) ? violated.hashes : []
  const hashes = applies(list) ? list.hashes.filter((one) => !had.some((other) => isSame(one, other))) : []
  if (hashes.length > 0) {
    if (detail === undefined) return { unknown: 'detail' }
    const found =
      !isDetailCut && isWhole(detail) && hashes.find(({ algorithm, digest }) => digestOf(algorithm, detail) === digest)
    // Chromium 156 trims white space off samples, so that the hash of another text can be the code's.
    return found ? { by: found.text } : { unknown: 'hash' }
  }
  if (isOfElement && list.hasNonce && !violated?.hasNonce) return { unknown: 'nonce' }
  const rules = "'inline-speculation-rules'"
  if (directive === 'script-src-elem' && list.keywords.has(rules) && !violated?.keywords.has(rules)) {
    return { unknown: 'speculation_rules' }
  }
  return undefined
}

const isSame = (a: HashSource, b: HashSource) => a.algorithm === b.algorithm && a.digest === b.digest
