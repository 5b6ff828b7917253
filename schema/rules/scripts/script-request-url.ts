import { parseUrl } from '../../parse-url.ts'
import { scriptUrl } from './script-url.ts'

const maxLength = 8_192

/** Names of parameters whose values can be a visitor's own. */
const ofVisitor = /auth|token|sess|jwt|secret|passw|pwd|credential|sig$|signature|otp$|mail|user|customer|^[sug]?id$/i

/** A JSON Web Token, and an e-mail address. */
const isSecretValue = (value: string) => value.startsWith('eyJ') || value.includes('@')

/**
 * The URL that a browser loaded a script from, with its query, without user and fragment. '' without a query, or if the
 * query can be a visitor's secret: people read it, and the worker would send it again.
 */
export function scriptRequestUrl(text: string): string {
  const identity = scriptUrl(text)
  const parsed = identity === '' ? undefined : parseUrl(text)
  if (!parsed?.search || identity.length + parsed.search.length > maxLength) return ''
  const isSecret = [...parsed.searchParams].some(([name, value]) => ofVisitor.test(name) || isSecretValue(value))
  return isSecret ? '' : identity + parsed.search
}
