import { z } from 'zod'
import { groupTally, type Keyed, selectGroups } from '../groups/select-groups.ts'
import { unexpired } from '../rollups/table-slices.ts'
import type { Query } from '../sql/query.ts'
import { rowBigSum } from '../sql/rows.ts'
import { join, type Sql, sql, texts, uuid } from '../sql/sql.ts'
import { type CspPolicyFilter, cspDisposition, cspPolicyGroups, cspPolicySlices } from './csp-policy-groups.ts'

const row = z.object({ key: rowBigSum }) satisfies z.ZodType<Keyed>

/** Rule 51 of a text as stored; `idOfPolicy` computes the same. */
export const policyIdColumn = (disposition: Sql, policy: Sql): Sql => sql`
  arrayFilter(tokens -> notEmpty(tokens),
    arrayMap(part -> extractAll(part, '[^\\t\\n\\f\\r ]+'), splitByChar(';', lowerUTF8(${policy})))) AS written,
  arrayMap(tokens -> tokens[1], written) AS names,
  arraySort(tokens -> tokens[1],
    arrayFilter((tokens, at) -> indexOf(names, tokens[1]) = at, written, arrayEnumerate(written))) AS directives,
  arrayStringConcat(arrayMap(tokens -> arrayStringConcat(arrayConcat([tokens[1]], arrayDistinct(arrayMap(
    value -> multiIf(startsWith(value, '\\'nonce-'), '\\'nonce-*\\'',
      tokens[1] = 'report-uri' AND NOT startsWith(value, '\\''), replaceRegexpOne(value, '(?s)[?#].*', '?*'), value),
    arraySlice(tokens, 2)))), ' '),
    directives), '; ') AS comparable,
  substring(lower(hex(SHA256(concat(${disposition}, '\\n', comparable)))), 1, 32)`

/**
 * Keys of the quoted policies with one of the ids, among all policies of the window. Reads the latest report of each,
 * so as many rows as there are policies.
 */
export function findPolicyKeys(filter: CspPolicyFilter, ids: readonly string[]): Query<z.infer<typeof row>> {
  const { conditions } = cspPolicyGroups(filter)
  const latest = selectGroups(cspPolicySlices(filter), { lastSeen: groupTally.lastSeen })
  const where = join([sql`tenant_id = ${uuid(filter.tenantId)}`, ...conditions, ...unexpired(filter.window)], ' AND ')
  return {
    name: 'findPolicyKeys',
    statement: sql`
      SELECT DISTINCT toString(group_key) AS key
      FROM (
        SELECT if(disposition = 'report', bitNot(policy_key), policy_key) AS group_key, ${policyIdColumn(cspDisposition, sql`policy`)} AS id
        FROM (
          SELECT disposition, policy_key, argMax(policy, received_at) AS policy
          FROM reports
          WHERE ${where} AND received_at IN (SELECT lastSeen FROM (${latest}))
          GROUP BY disposition, policy_key))
      WHERE id IN ${texts(ids)}`,
    row,
  }
}
