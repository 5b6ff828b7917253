/** @module The next policy: another one with sources added. */

import { governingList, isScript, isStyle, type ParsedPolicy } from './governing-directive.ts'
import { type DirectiveValues, serialisePolicy } from './parse-policy.ts'

export interface Addition {
  readonly addTo: string
  readonly expression: string
}

/**
 * The directive that a source is added to: the governing one, or a new one in place of a fallback. Safari before 15.4 and
 * Firefox before 108 ignore -elem and -attr.
 */
export function additionTarget(policy: ReadonlyMap<string, unknown>, directive: string): string | undefined {
  const governing = governingList(policy, directive)?.name
  if (governing === undefined) return undefined
  const own = directive.replace(/-(?:elem|attr)$/, '')
  return governing === directive || governing === own ? governing : own
}

/** The order of directives is preserved, and new ones follow. */
export function withSources(policy: DirectiveValues, additions: readonly Addition[]): DirectiveValues {
  const proposed = new Map(policy)
  for (const { addTo, expression } of additions) {
    const values = proposed.get(addTo) ?? inheritedBy(addTo, policy)
    const open = values.filter((value) => value.toLowerCase() !== "'none'")
    proposed.set(addTo, open.includes(expression) ? open : [...open, expression])
  }
  return proposed
}

/** Nonces stay `'nonce-*'`: the server inserts its own. */
export const proposePolicy = (policy: DirectiveValues, additions: readonly Addition[]): string =>
  serialisePolicy(withSources(policy, additions))

/** The directive to copy for a new one; null if the policy has it. */
export function inheritedFrom(policy: ParsedPolicy, directive: string): string | null {
  const name = governingList(policy, directive)?.name
  return name === undefined || name === directive ? null : name
}

/** Values of the list that governed; only scripts and styles have nonces, hashes and keywords. */
function inheritedBy(directive: string, policy: DirectiveValues): readonly string[] {
  const values = governingList(policy, directive)?.list ?? []
  return isScript(directive) || isStyle(directive) ? values : values.filter(isUrlSource)
}

const isUrlSource = (value: string) => !value.startsWith("'") || value.toLowerCase() === "'self'"
