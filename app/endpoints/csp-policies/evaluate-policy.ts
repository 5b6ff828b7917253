/** @module Weaknesses of a policy found by csp_evaluator. */

import { CspEvaluator } from 'csp_evaluator/dist/evaluator.js'
import { type Finding, Severity, Type } from 'csp_evaluator/dist/finding.js'
import { CspParser } from 'csp_evaluator/dist/parser.js'
import evaluatorPackage from 'csp_evaluator/package.json' with { type: 'json' }
import { LRUCache } from 'lru-cache'
import { parseUrl } from '../../../schema/parse-url.ts'
import type { CspFinding } from '../../../schema/responses/csp-advice.ts'
import { comparableForm } from '../../../schema/rules/csp/csp-comparable-form.ts'
import { parsePolicy, serialisePolicy } from '../../../schema/rules/csp/parse-policy.ts'
import { isNonce } from '../../../schema/rules/csp/source-list.ts'

export const evaluator = `${evaluatorPackage.name} ${evaluatorPackage.version}`

/** 22 KB of policy take 2 ms of the event loop, and 300 hosts 76 ms. */
const cache = new LRUCache<string, readonly CspFinding[]>({ max: 200 })

/** A nonce long enough for the evaluator, which finds three faults in `'nonce-*'`. */
const strongNonce = "'nonce-dGhpc2lzYWxvbmdub25jZQ=='"

function findingsOf(policy: string): Finding[] {
  // Browsers do not read `'nonce-*'` of the comparable form as a nonce either.
  const valid = [...parsePolicy(policy)].map(
    ([name, values]) => [name, values.filter((value) => isNonce(value) || !/^'nonce-/i.test(value))] as const,
  )
  // The comparable form has only white space that browsers recognise; the evaluator also splits at other characters.
  const directives = [...parsePolicy(comparableForm(serialisePolicy(new Map(valid))))].map(
    ([name, values]) =>
      [name, values.filter(isEvaluable).map((value) => (isNonce(value) ? strongNonce : value))] as const,
  )
  return new CspEvaluator(new CspParser(serialisePolicy(new Map(directives))).csp).evaluate()
}

/** The evaluator parses every value as a URL, and throws for invalid hosts such as `a.test:99999`. */
const isEvaluable = (value: string): boolean =>
  parseUrl(
    `https://${value
      .replace(/^(?:\w[+\w.-]*:)?\/\//, '')
      .replace(':*', '')
      .replace('*', 'wildcard_placeholder')}`,
  ) !== undefined

export function evaluatePolicy(policy: string): CspFinding[] {
  const found = cache.get(policy) ?? sharedFindings(policy.split(','))
  cache.set(policy, found)
  return [...found]
}

/** Browsers apply every policy, so a weakness counts only if all of them have it. */
function sharedFindings(policies: readonly string[]): CspFinding[] {
  const [first = [], ...others] = policies
    .filter((policy) => parsePolicy(policy).size > 0)
    .map((policy) => unique(findingsOf(policy).filter(({ severity }) => severity !== Severity.NONE)))
  return others.reduce((shared, other) => shared.filter((one) => introducedFindings(other, [one]).length === 0), first)
}

function unique(findings: readonly Finding[]): CspFinding[] {
  const all = findings.map((finding): CspFinding => {
    const { severity, type, directive, value, description } = finding
    return {
      severity: Severity[severity].toLowerCase(),
      type: Type[type].toLowerCase(),
      directive,
      value: value ?? null,
      description,
    }
  })
  return [...new Map(all.map((finding) => [JSON.stringify(finding), finding])).values()]
}

export const introducedFindings = (before: readonly CspFinding[], after: readonly CspFinding[]): CspFinding[] => {
  const known = new Set(before.map((finding) => JSON.stringify(finding)))
  return after.filter((finding) => !known.has(JSON.stringify(finding)))
}

/** Origins that serve a script that can run any other, such as JSONP or Angular. */
export function bypassingOrigins(origins: readonly string[]): ReadonlySet<string> {
  if (origins.length === 0) return new Set()
  const bypasses = findingsOf(`script-src ${origins.join(' ')}`).filter(
    ({ type, severity }) => type === Type.SCRIPT_ALLOWLIST_BYPASS && severity === Severity.HIGH,
  )
  return new Set(bypasses.map(({ value }) => value ?? ''))
}
