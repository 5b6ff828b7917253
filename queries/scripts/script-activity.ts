import { paymentPatterns } from '../pages/payment-pages.ts'
import { groupSlices } from '../rollups/group-slices.ts'
import { join, type Sql, sql, text } from '../sql/sql.ts'
import { type InventoryFilter, ofInventory, returnedUrls } from './script-inventory.ts'

/**
 * The window's reports of one type that name a script, for a FROM: `url`, `page`, `reported_hash`, `disposition`, how many
 * `reports` a row stands for, and when the last of them was `seen_to`.
 * @param conditions on columns that the rollup and raw rows both have.
 */
export function scriptReports(
  filter: InventoryFilter,
  reportType: 'csp-hash' | 'integrity-violation',
  conditions: readonly Sql[] = [],
): Sql {
  const all = [sql`report_type = ${text(reportType)}`, ofInventory(filter), sql`script_url != ''`, ...conditions]
  const slices = groupSlices('reports_per_day_by_script', filter, all).map(({ from, page, isRaw }) => {
    const tally = isRaw
      ? sql`toUInt64(1) AS reports, received_at AS seen_to`
      : sql`report_count AS reports, last_seen_at AS seen_to`
    return sql`SELECT script_url AS url, ${page} AS page, reported_hash, disposition, ${tally} ${from}`
  })
  return sql`(${join(slices, ' UNION ALL ')})`
}

/** The window's sightings of the scripts that a read returns. */
export const sightingsIn = (filter: InventoryFilter, truncated: boolean) =>
  scriptReports(filter, 'csp-hash', truncated ? [sql`script_url IN ${returnedUrls(filter)}`] : [])

/**
 * The payment pages among the pages of some reports, for a FROM or IN: `page`, and `page_ids` of the monitored pages that
 * it is. Each page is compared once, however many reports it has, and with those patterns alone that begin as it does:
 * they are looked up by each length that a pattern's beginning has.
 */
export function paymentPagesAmong(reports: Sql, filter: InventoryFilter): Sql {
  const pages = sql`SELECT page, arrayJoin(arrayDistinct(arrayPushBack(arrayMap(bytes -> substring(page, 1, bytes), arrayDistinct(arrayMap(pattern -> length(pattern.1), site_patterns))), page))) AS start FROM (SELECT DISTINCT page FROM ${reports})`
  const patterns = sql`SELECT pattern.1 AS start, pattern.2 AS expression, pattern.3 AS page_id FROM (SELECT arrayJoin(site_patterns) AS pattern)`
  return sql`(WITH (SELECT groupArray((start, expression, page_id)) FROM ${paymentPatterns(filter)}) AS site_patterns SELECT page, arraySort(groupUniqArray(page_id)) AS page_ids FROM (${pages}) AS begun INNER JOIN (${patterns}) AS patterns USING (start) WHERE if(expression = '', page = start, match(page, expression)) GROUP BY page)`
}
