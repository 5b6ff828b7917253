import { maxPolicyLength } from '../../csp-params.ts'
import { writtenDirectives } from './parse-policy.ts'
import { policyWarnings } from './policy-warnings.ts'

const headerName = /^\s*content-security-policy(-report-only)?\s*:/i

/** Reason why a text is not a policy to check, to follow its name; undefined for a policy. */
export function policyFault(policy: string): string | undefined {
  if (policy.length > maxPolicyLength) return `must have at most ${maxPolicyLength} characters`
  // A browser drops such a directive.
  if (!/^[\t\n\f\r -~]*$/.test(policy)) return 'must be printable ASCII, with hosts in Punycode'
  // A directive of that name is unknown, so that the rest of its line would go unchecked.
  if (headerName.test(policy)) return 'must be the value of the header without its name'
  // A policy without a directive would never report: jq prints null if nothing is proposed.
  return hasKnownDirective(policy) ? undefined : 'must have a known directive'
}

const hasKnownDirective = (header: string) => header.split(',').some(isPolicy)

function isPolicy(policy: string): boolean {
  const unknown = policyWarnings(policy).filter(({ kind }) => kind === 'unknown_directive')
  const names = new Set(unknown.map(({ directive }) => directive))
  return writtenDirectives(policy).some(({ name }) => !names.has(name))
}
