/**
 * @module Quoted policies, grouped by their differences: a site's hosts often send one policy with another host or
 * reporting URL.
 */

import { parsePolicy } from './policy-text.ts'

export type QuotedPolicy = {
  id: string
  disposition: 'enforce' | 'report'
  policy: string
  reportCount: number
  firstSeen: string
  lastSeen: string
}
/** `own`: what the others do not all have */
export type GroupMember = QuotedPolicy & { own: { name: string; values: string[] }[] }
export type PolicyGroup = {
  key: string
  disposition: string
  reportCount: number
  differs: string[]
  common: string
  members: GroupMember[]
}

/** The reporting URL differs between hosts of one policy. */
const reporting = new Set(['report-uri', 'report-to'])

/** @returns the most reports first */
export function groupPolicies(policies: readonly QuotedPolicy[]): PolicyGroup[] {
  const groups: Map<string, QuotedPolicy[]> = new Map()
  for (const policy of policies) {
    const names = [...parsePolicy(policy.policy).keys()].filter((name) => !reporting.has(name)).sort()
    const key = [policy.disposition, ...names].join(' ')
    groups.set(key, [...(groups.get(key) ?? []), policy])
  }
  return [...groups].map(([key, members]) => toGroup(key, members)).sort(mostReports)
}

const mostReports = (a: { reportCount: number }, b: { reportCount: number }) => b.reportCount - a.reportCount

function toGroup(key: string, policies: QuotedPolicy[]): PolicyGroup {
  const parsed = policies.map(({ policy }) => parsePolicy(policy))
  const names = [...new Set(parsed.flatMap((directives) => [...directives.keys()]))]
  const textOf = (directives: Map<string, string[]>, name: string) => directives.get(name)?.join(' ')
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

/** Values that not all policies of the group have. */
const ownOf = (directives: Map<string, string[]>, all: Map<string, string[]>[], differs: string[]) =>
  differs
    .filter((name) => directives.has(name))
    .map((name) => {
      const values = directives.get(name) ?? []
      const own = values.filter((value) => !all.every((other) => other.get(name)?.includes(value)))
      return { name, values: own }
    })
