import type { MiddlewareHandler } from 'hono'
import { Problem } from '../../schema/problems.ts'
import { quoteInput } from './quote-input.ts'
import type { ApiEnv } from './request-context.ts'

/** Hono would drop a parameter without a name, and read percent-encoding that is not UTF-8 literally. */
export const rejectMalformedQuery: MiddlewareHandler<ApiEnv> = function rejectMalformedQuery(c, next) {
  checkQuery(c.req.url)
  return next()
}

function checkQuery(url: string): void {
  const at = url.indexOf('?')
  if (at < 0) return
  for (const pair of url.slice(at + 1).split('&')) {
    if (pair === '') continue
    const [rawName = '', ...rawValue] = pair.split('=')
    const name = decode(rawName)
    if (name === '') throw new Problem('bad_request', `${quoteInput(pair)} is a parameter without a name`)
    if (name === undefined || decode(rawValue.join('=')) === undefined) {
      throw new Problem(
        'bad_request',
        `${name ?? quoteInput(rawName)} must be percent-encoded UTF-8, not ${quoteInput(pair)}`,
      )
    }
  }
}

function decode(text: string): string | undefined {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
