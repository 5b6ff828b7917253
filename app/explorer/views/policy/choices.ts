/** @module Sources of an advice as rows to tick, and which of them are ticked. */

import type { Addition } from '../../../../schema/rules/csp/propose-policy.ts'
import { additionTarget } from '../../../../schema/rules/csp/propose-policy.ts'
import { parsePolicy } from './policy-text.ts'

export interface Choice {
  key: string
  /** Directive of the reports */
  directive: string
  /** The expression, or the source of what must never be allowed */
  text: string
  /** Undefined for a source that must never be allowed */
  addition: Addition | undefined
  /** Ticked unless a person decides otherwise */
  isAdvised: boolean
  /** Why it is not allowed, or to be reviewed */
  reasons: string[]
  /** True for the hash of a sample of inline code */
  isHash: boolean
  /** Source of the advice */
  source: any
}

const mostReported = (a: any, b: any) => b.source.reportCount - a.source.reportCount

/**
 * @param advice body of `…/csp-policies/advice`
 * @returns by directive, the most reported first
 */
export function choicesOf({ policy, sources, base }: any): Choice[] {
  const directives = parsePolicy(policy?.text ?? '')
  const choices = sources.flatMap((source: any) => [toChoice(source, base), ...hashesOf(source, directives)])
  const sums = new Map()
  for (const { directive, reportCount } of sources) {
    sums.set(directive, (sums.get(directive) ?? 0) + reportCount)
  }
  const names = [...sums.keys()].sort((a, b) => sums.get(b) - sums.get(a))
  return names.flatMap((name) => choices.filter(({ directive }: any) => directive === name).sort(mostReported))
}

function toChoice(source: any, base: string): Choice {
  const { directive, decision, reasons, expression, addTo } = source
  const isAddable = decision !== 'deny' && expression !== null && addTo !== null
  return {
    key: `${directive} ${source.source}`,
    directive,
    text: expression ?? source.source,
    addition: isAddable ? { addTo, expression } : undefined,
    // A policy that appears only in reports is not a base for additions.
    isAdvised: decision === 'allow' && isAddable && base !== 'reported',
    reasons,
    isHash: false,
    source,
  }
}

/** Hashes of inline code with a complete sample, which allow it without allowing all inline code. */
function hashesOf(source: any, directives: any): Choice[] {
  const addTo = additionTarget(directives, source.directive)
  const hashes = source.hints.filter(({ kind }: any) => kind === 'hash')
  return hashes.map(({ value, sample }: any) => ({
    key: `${source.directive} ${value}`,
    directive: source.directive,
    text: value,
    addition: addTo === undefined ? undefined : { addTo, expression: value },
    isAdvised: false,
    reasons: [],
    isHash: true,
    source: { ...source, sample },
  }))
}

/** Keys whose tick a person changed, from the URL. */
export const flippedKeys = (flip: string | undefined) => new Set((flip ?? '').split(',').filter(Boolean))

export const isTicked = ({ key, addition, isAdvised }: Choice, flipped: Set<string>) =>
  addition !== undefined && isAdvised !== flipped.has(key)

/** Commands that record the ticks of a person as decisions. */
export const decisionCommands = (
  choices: readonly Choice[],
  flipped: Set<string>,
  { tenant, site }: { tenant: string; site: string },
) =>
  choices
    .filter(
      (choice) =>
        isTicked(choice, flipped) && !choice.isAdvised && !choice.isHash && /^[!-~]+$/.test(choice.source.source),
    )
    .map(({ source }) =>
      ['security-reporting sources accept', '--tenant', tenant, '--site', site, '--directive', quoted(source.directive)]
        .concat('--source', quoted(source.source), '--by you@example.com', "--reason 'Why'")
        .join(' '),
    )
    .join('\n')

/** For a shell: reports wrote it. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

export const additionsOf = (choices: readonly Choice[], flipped: Set<string>) =>
  choices.filter((choice) => isTicked(choice, flipped)).flatMap(({ addition }) => addition ?? [])
