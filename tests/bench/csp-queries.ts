/** @module Content security policies: the next one, and past reports under another. */

import { biggestSite } from './bench-data.ts'
import type { BenchQuery } from './bench-query.ts'
import type { Dialect } from './dialects.ts'
import { fromTypes } from './group-queries.ts'
import type { QueryResult } from './query-result.ts'

const days = 31
const chapter = `/v1/sites/${biggestSite}/csp-policies`

interface Counts {
  readonly reportCount: number
}

type Verdicts = Readonly<Record<'violation' | 'silent' | 'unknown', Counts>>

const total = ({ violation, silent, unknown }: Verdicts): QueryResult => ({
  rows: [{ key: '', count: violation.reportCount + silent.reportCount + unknown.reportCount }],
})

/** Groups that one would judge by hand. */
const groupsOf = (d: Dialect, conditions = '') => `
SELECT sum(reports) AS n, sum(weights) AS weight, min(first_seen) AS first_seen, max(last_seen) AS last_seen
FROM (
  SELECT directive, CASE WHEN blocked_origin = '' THEN blocked_host ELSE blocked_origin END AS source,
    document_host = blocked_host AS is_own, policy_key,
    count(*) AS reports, sum(weight) AS weights, ${d.countIf('noise')} AS noises,
    min(received_at) AS first_seen, max(received_at) AS last_seen
  ${fromTypes(['csp-violation'], d)}
    AND site_id = '${biggestSite}'
    ${conditions}
  GROUP BY directive, source, is_own, policy_key) AS groups`

/** Reports of the policy that is chosen without an id. */
const ofLastPolicy = (d: Dialect) => `
    AND disposition = 'report'
    AND policy_key = (
      SELECT policy_key
      ${fromTypes(['csp-violation'], d)}
        AND site_id = '${biggestSite}'
        AND disposition = 'report'
      ORDER BY received_at DESC
      LIMIT 1)`

const advice = (name: string, query: string, conditions: (d: Dialect) => string): BenchQuery => ({
  name: `CSP advice of a ${name} 31 d`,
  days,
  path: `${chapter}/advice?${query}`,
  parseBody: ({ data }) => total(data.effect.before),
  sql: (d) => groupsOf(d, conditions(d)),
})

const check = (name: string, policy: string): BenchQuery => ({
  name: `CSP check of ${name} 31 d`,
  days,
  path: `${chapter}/check?policy=${encodeURIComponent(policy)}`,
  parseBody: ({ data }) => total(data.totals),
  sql: (d) => groupsOf(d),
})

const hosts = [1, 3, 4, 6, 7, 8, 10].map((place) => `https://cdn${place}.thirdparty.test`)

export const cspQueries: readonly BenchQuery[] = [
  advice('policy', 'scope=policy', ofLastPolicy),
  advice('site', 'scope=site', () => ''),
  check('hosts', `default-src 'self' ${hosts.join(' ')}; object-src 'none'`),
  check('paths', `default-src 'self' ${hosts.map((host) => `${host}/lib/`).join(' ')}; object-src 'none'`),
]
