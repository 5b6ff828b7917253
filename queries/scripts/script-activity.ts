import { groupParts } from '../groups/group-parts.ts'
import { join, type Sql, sql, text, uint } from '../sql.ts'
import { type InventoryQuestion, ofInventory } from './script-inventory.ts'

/**
 * The window's reports of one type that name a script, for a FROM: `url`, `page`, `reported_hash`, `disposition`, how many
 * `reports` a row stands for, and when the last of them was `seen_to`.
 * @param conditions on columns that the rollup and raw rows both have.
 */
export function scriptReports(
  question: InventoryQuestion,
  reportType: 'csp-hash' | 'integrity-violation',
  conditions: readonly Sql[] = [],
): Sql {
  const { tenantId, window } = question
  const all = [sql`report_type = ${text(reportType)}`, ofInventory(question), sql`script_url != ''`, ...conditions]
  const parts = groupParts('scripts_day', tenantId, window, all).map(({ from, page, isRaw }) => {
    const tally = isRaw
      ? sql`toUInt64(1) AS reports, received_at AS seen_to`
      : sql`report_count AS reports, last_seen AS seen_to`
    return sql`SELECT script_url AS url, ${page} AS page, reported_hash, disposition, ${tally} ${from}`
  })
  return sql`(${join(parts, ' UNION ALL ')})`
}

/**
 * The payment pages among the pages of some reports, for a FROM or IN: `page`, and the places of the payment pages that it
 * is in the question, from 1. Each page is compared once, however many reports it has.
 */
export function paymentPagesAmong(reports: Sql, { paymentPages }: InventoryQuestion): Sql {
  const places = paymentPages.map(
    ({ match: { expression } }, index) => sql`if(match(page, ${text(expression)}), ${uint(index + 1)}, 0)`,
  )
  return sql`(SELECT page, arrayFilter(place -> place > 0, [${join(places, ', ')}]) AS places FROM (SELECT DISTINCT page FROM ${reports}) WHERE notEmpty(places))`
}
