// @ts-check
/**
 * @module Quoted policies, grouped by their differences: a site's hosts often send one policy with another host or
 * reporting URL.
 */

import { parsePolicy } from './policy-text.js'

/** @typedef {{ id: string, disposition: 'enforce' | 'report', policy: string, reportCount: number, firstSeen: string, lastSeen: string }} QuotedPolicy */
/** @typedef {QuotedPolicy & { own: { name: string, values: string[] }[] }} GroupMember `own`: what the others do not all have */
/** @typedef {{ key: string, disposition: string, reportCount: number, differs: string[], common: string, members: GroupMember[] }} PolicyGroup */

/** The reporting URL differs between hosts of one policy. */
const reporting = new Set(['report-uri', 'report-to'])

/** @param {readonly QuotedPolicy[]} policies @returns {PolicyGroup[]} the most reports first */
export function groupPolicies(policies) {
  /** @type {Map<string, QuotedPolicy[]>} */
  const groups = new Map()
  for (const policy of policies) {
    const names = [...parsePolicy(policy.policy).keys()].filter((name) => !reporting.has(name)).sort()
    const key = [policy.disposition, ...names].join(' ')
    groups.set(key, [...(groups.get(key) ?? []), policy])
  }
  return [...groups].map(([key, members]) => toGroup(key, members)).sort(mostReports)
}

const mostReports = (/** @type {{ reportCount: number }} */ a, /** @type {{ reportCount: number }} */ b) =>
  b.reportCount - a.reportCount

/** @param {string} key @param {QuotedPolicy[]} policies @returns {PolicyGroup} */
function toGroup(key, policies) {
  const parsed = policies.map(({ policy }) => parsePolicy(policy))
  const names = [...new Set(parsed.flatMap((directives) => [...directives.keys()]))]
  const textOf = (/** @type {Map<string, string[]>} */ directives, /** @type {string} */ name) =>
    directives.get(name)?.join(' ')
  const differs = names.filter((name) => new Set(parsed.map((directives) => textOf(directives, name))).size > 1)
  const common = [...(parsed[0] ?? [])].filter(([name]) => !differs.includes(name))
  const members = policies.map((policy, at) => ({ ...policy, own: ownOf(parsed[at] ?? new Map(), parsed, differs) }))
  return {
    key,
    disposition: policies[0]?.disposition ?? '',
    reportCount: policies.reduce((sum, { reportCount }) => sum + reportCount, 0),
    differs,
    common: common.map(([name, values]) => [name, ...values].join(' ')).join('; '),
    members: members.sort(mostReports),
  }
}

/** Values that not all policies of the group have. @param {Map<string, string[]>} directives @param {Map<string, string[]>[]} all @param {string[]} differs */
const ownOf = (directives, all, differs) =>
  differs
    .filter((name) => directives.has(name))
    .map((name) => {
      const values = directives.get(name) ?? []
      const own = values.filter((value) => !all.every((other) => other.get(name)?.includes(value)))
      return { name, values: own }
    })
