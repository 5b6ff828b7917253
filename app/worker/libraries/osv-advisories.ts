/** @module Advisories of a library: https://google.github.io/osv.dev/post-v1-query and https://ossf.github.io/osv-schema */

import cvss from 'ae-cvss-calculator'
import { z } from 'zod'
import { npmCatalog } from '../../../schema/rules/scripts/claimed-library.ts'
import { compareVersions, isWithin, type VersionRange } from '../../../schema/rules/scripts/library-version.ts'
import type { Advisory } from '../../../schema/rules/scripts/script-advisories.ts'

const event = z.object({ introduced: z.string(), fixed: z.string(), last_affected: z.string() }).partial()

const affected = z.object({
  package: z.object({ ecosystem: z.string(), name: z.string() }).optional(),
  ranges: z.array(z.object({ type: z.string(), events: z.array(event) })).default([]),
  versions: z.array(z.string()).default([]),
})

const vulnerability = z.object({
  id: z.string(),
  modified: z.string(),
  withdrawn: z.string().optional(),
  aliases: z.array(z.string()).default([]),
  severity: z.array(z.object({ type: z.string(), score: z.string() })).default([]),
  affected: z.array(affected).default([]),
  database_specific: z.object({ severity: z.string().optional() }).default({}),
})

/** Another page follows 1,000 advisories, which no library has. */
const response = z.object({ vulns: z.array(vulnerability).default([]), next_page_token: z.literal('').optional() })

export const advisoriesUrl = new URL('https://api.osv.dev/v1/query')

/** Advisories that are not withdrawn. Throws a ZodError for another format. */
export const toAdvisories = (name: string, body: unknown): Advisory[] =>
  response.parse(body).vulns.flatMap(({ id, modified, withdrawn, aliases, severity, database_specific, ...rest }) => {
    const own = rest.affected.filter(({ package: of }) => of?.ecosystem === npmCatalog && of.name === name)
    if (withdrawn !== undefined || own.length === 0) return []
    const rating = database_specific.severity?.toLowerCase().replace('moderate', 'medium')
    return {
      id,
      aliases: aliases.slice(0, 100),
      ranges: own.flatMap(rangesOf),
      severity: (['critical', 'high', 'medium', 'low'] as const).find((one) => one === rating) ?? null,
      cvssScore: severity.map(scoreOf).find((score) => score !== null) ?? null,
      url: `https://osv.dev/vulnerability/${id}`,
      modifiedAt: modified,
    }
  })

/** Base score of a CVSS v3 vector; null for an incomplete or another one. */
function scoreOf({ type, score: vector }: { readonly type: string; readonly score: string }): number | null {
  if (type !== 'CVSS_V3') return null
  try {
    return new (vector.startsWith('CVSS:3.0/') ? cvss.Cvss3P0 : cvss.Cvss3P1)(vector).calculateScores().base ?? null
  } catch {
    return null
  }
}

/** Ranges, and the listed versions outside them. */
function rangesOf({ ranges, versions }: z.infer<typeof affected>): VersionRange[] {
  const between = ranges.filter(({ type }) => type !== 'GIT').flatMap(({ events }) => toRanges(events))
  const others = versions.filter((version) => !between.some((range) => isWithin(version, range)))
  return [...between, ...others.map((version) => ({ introduced: version, fixed: null, lastAffected: version }))]
}

type Event = z.infer<typeof event>

/** Pairs of events in the order of versions; `0` is before every version. */
function toRanges(events: readonly Event[]): VersionRange[] {
  const versionOf = ({ introduced, fixed, last_affected }: Event) => introduced ?? fixed ?? last_affected ?? ''
  // At one version: a fix, then the start of the next range, then a last affected version.
  const rankOf = ({ introduced, fixed }: Event) => (fixed ? 0 : introduced ? 1 : 2)
  const sorted = [...events].sort((a, b) => compareVersions(versionOf(a), versionOf(b)) || rankOf(a) - rankOf(b))
  const ranges: VersionRange[] = []
  let from: string | undefined
  for (const { introduced, fixed = null, last_affected: lastAffected = null } of [...sorted, event.parse({})]) {
    if (from !== undefined && introduced !== undefined) continue
    if (from !== undefined) ranges.push({ introduced: from === '0' ? null : from, fixed, lastAffected })
    from = introduced
  }
  return ranges
}
