/** @module Removes users and passwords of URLs before they are stored. */

import { parseUrl } from '../../../schema/parse-url.ts'

/**
 * All before the last @ of an authority (URL Standard, 4.4); in JSON and scripts a quote ends it. Linear: the slashes of the
 * next `://` end a run.
 */
const userInfo = /(?<=:[\\/]{2})[^\s\\/?#"'`<>]*@/g

export function withoutUser(text: string): string {
  if (!text.includes('@')) return text
  const written = text.replaceAll(userInfo, '')
  // Forms that no browser writes: another number of slashes, or white space within.
  const url = written.includes('@') ? parseUrl(written) : undefined
  if (!url || (url.username === '' && url.password === '')) return written
  url.username = ''
  url.password = ''
  return url.href
}

/** Does so in every text of a record. */
export function withoutUsers<Value>(value: Value): Value
export function withoutUsers(value: unknown): unknown {
  if (typeof value === 'string') return withoutUser(value)
  if (Array.isArray(value)) return value.map(withoutUsers)
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutUsers(inner)]))
}
