/** @module Untrusted members as JSON text of a bounded length. */

import { maskText, type UrlMask } from './url-mask.ts'
import { withoutUser } from './without-user.ts'

/** Members that are cleaned, up to 16 µs each, of which a hostile report has 100,000; UTF-16 units of a name. */
const [maxMembers, maxName] = [64, 64]

/** Names of dropped members that the text has. */
const maxNamed = 8

/**
 * The first 64 members within `limit` UTF-16 units, '' without any. The largest are dropped first; the member `…` names up
 * to eight of them. URLs are masked, also in names; null and '' count as missing.
 */
export function boundedJson(members: ReadonlyMap<string, unknown>, limit: number, maskUrl?: UrlMask): string {
  if (members.size === 0) return ''
  const cleanText = (value: string) => {
    const text = withoutUser(value)
    return !maskUrl ? text : text.startsWith('/') ? maskUrl(text) : maskText(text, maskUrl)
  }
  const clean = (_: string, value: unknown) => {
    if (typeof value === 'string') return cleanText(value)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, of]) => [cleanText(name), of]))
  }
  const dropped: string[] = []
  const kept: (readonly [name: string, json: string])[] = []
  for (const [name, value] of members) {
    if (value === null || value === '') continue
    if (kept.length === maxMembers) dropped.push(cleanText(name).slice(0, maxName))
    else kept.push([cleanText(name).slice(0, maxName), toJson(value, clean)])
  }
  kept.sort(([, one], [, other]) => one.length - other.length)
  for (;;) {
    const named = dropped.length > 0 ? ([['…', JSON.stringify(dropped.slice(-maxNamed))]] as const) : []
    const text = [...kept, ...named].map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')
    if (text.length + 2 <= limit) return text === '' ? '' : `{${text}}`
    const [largest] = kept.pop() ?? []
    if (largest === undefined) return ''
    dropped.push(largest)
  }
}

/** A value that is nested too deeply for JSON.stringify is dropped. */
function toJson(value: unknown, clean: (name: string, value: unknown) => unknown): string {
  try {
    return JSON.stringify(value, clean)
  } catch {
    return 'null'
  }
}
