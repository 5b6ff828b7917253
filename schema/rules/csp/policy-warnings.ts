/** @module Parts of a policy that browsers ignore and report only on their console. */

import type { cspWarningKinds } from '../../csp-verdicts.ts'
import { isKnownDirective, isScript, isStyle } from './governing-directive.ts'
import { writtenDirectives } from './parse-policy.ts'
import { isHash, isNonce, parseUrlSource } from './source-list.ts'

export interface PolicyWarning {
  readonly directive: string
  readonly value: string | null
  readonly kind: (typeof cspWarningKinds)[number]
}

/** Directives without a source list. */
const others = new Set([
  ...['sandbox', 'report-uri', 'report-to', 'upgrade-insecure-requests', 'block-all-mixed-content', 'webrtc'],
  ...['plugin-types', 'require-sri-for'],
])

const keywords = new Set(
  [
    ...['self', 'none', 'unsafe-inline', 'unsafe-eval', 'unsafe-hashes', 'wasm-unsafe-eval', 'strict-dynamic'],
    ...['report-sample', 'inline-speculation-rules', 'trusted-types-eval', 'unsafe-webtransport-hashes'],
    ...['report-sha256', 'report-sha384', 'report-sha512', 'unsafe-allow-redirects'],
  ].map((keyword) => `'${keyword}'`),
)

const isTrustedTypes = (name: string) => name === 'trusted-types' || name === 'require-trusted-types-for'

/** @param header policies that commas separate. */
export const policyWarnings = (header: string): PolicyWarning[] => header.split(',').flatMap(warningsOfPolicy)

function warningsOfPolicy(policy: string): PolicyWarning[] {
  const seen = new Set<string>()
  return writtenDirectives(policy).flatMap(({ name, values }): PolicyWarning[] => {
    if (seen.has(name)) return [{ directive: name, value: null, kind: 'repeated' }]
    seen.add(name)
    if (others.has(name) || isTrustedTypes(name)) return []
    if (!isKnownDirective(name)) return [{ directive: name, value: null, kind: 'unknown_directive' }]
    return values.flatMap((value) => {
      const kind = warningOf(name, value, values)
      return kind ? [{ directive: name, value, kind }] : []
    })
  })
}

function warningOf(name: string, value: string, values: readonly string[]): PolicyWarning['kind'] | undefined {
  const written = value.toLowerCase()
  const quoted = `'${written}'`
  if (keywords.has(quoted) || isNonce(quoted) || isHash(quoted)) return 'missing_quotes'
  const isKeyword = keywords.has(written) || isNonce(value) || isHash(value)
  if (!isKeyword && !parseUrlSource(value)) return 'invalid_source'
  return isIgnored(name, written, values) ? 'ignored' : undefined
}

/** CSP3, 6.7.2.7 step 3, 6.7.3.2 and 6.7.1.1. */
function isIgnored(name: string, value: string, values: readonly string[]): boolean {
  if (value === "'none'") return values.length > 1
  const isDynamic = isScript(name) && values.some((other) => other.toLowerCase() === "'strict-dynamic'")
  const isExact = isDynamic || values.some((other) => isNonce(other) || isHash(other))
  if (value === "'unsafe-inline'") return isExact && (isScript(name) || isStyle(name))
  return isDynamic && parseUrlSource(value) !== undefined
}
