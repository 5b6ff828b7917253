// @ts-check
/** @module Sources of an advice as rows to tick, and which of them are ticked. */

import { additionTarget } from '../../../../queries/rules/csp/propose-policy.ts'
import { parsePolicy } from './policy-text.js'

/**
 * @typedef {object} Choice
 * @property {string} key
 * @property {string} directive of the reports
 * @property {string} text the expression, or the source of what must never be allowed
 * @property {import('../../../../queries/rules/csp/propose-policy.ts').Addition | undefined} addition undefined for what must never be allowed
 * @property {boolean} isAdvised ticked unless a person decides otherwise
 * @property {string[]} reasons why it is not allowed, or to be reviewed
 * @property {boolean} isHash of a sample of inline code
 * @property {any} source of the advice
 */

const mostReported = (a, b) => b.source.reportCount - a.source.reportCount

/** @param {any} advice body of `…/csp-policies/advice` @returns {Choice[]} by directive, the most reported first */
export function choicesOf({ policy, sources, base }) {
  const directives = parsePolicy(policy?.text ?? '')
  const choices = sources.flatMap((source) => [toChoice(source, base), ...hashesOf(source, directives)])
  const sums = new Map()
  for (const { directive, reportCount } of sources) {
    sums.set(directive, (sums.get(directive) ?? 0) + reportCount)
  }
  const names = [...sums.keys()].sort((a, b) => sums.get(b) - sums.get(a))
  return names.flatMap((name) => choices.filter(({ directive }) => directive === name).sort(mostReported))
}

/** @returns {Choice} */
function toChoice(source, base) {
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

/**
 * Hashes of inline code with a complete sample, which allow it without allowing all inline code.
 * @returns {Choice[]}
 */
function hashesOf(source, directives) {
  const addTo = additionTarget(directives, source.directive)
  const hashes = source.hints.filter(({ kind }) => kind === 'hash')
  return hashes.map(({ value, sample }) => ({
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

/** Keys whose tick a person changed, from the URL. @param {string | undefined} flip */
export const flippedKeys = (flip) => new Set((flip ?? '').split(',').filter(Boolean))

/** @param {Choice} choice @param {Set<string>} flipped */
export const isTicked = ({ key, addition, isAdvised }, flipped) =>
  addition !== undefined && isAdvised !== flipped.has(key)

/** Commands that record the ticks of a person as decisions. @param {readonly Choice[]} choices @param {Set<string>} flipped @param {{ tenant: string, site: string }} ids */
export const decisionCommands = (choices, flipped, { tenant, site }) =>
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

/** For a shell: reports wrote it. @param {string} text */
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`

/** @param {readonly Choice[]} choices @param {Set<string>} flipped */
export const additionsOf = (choices, flipped) =>
  choices.filter((choice) => isTicked(choice, flipped)).flatMap(({ addition }) => addition ?? [])
