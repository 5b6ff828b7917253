/** @module Subselect of scripts loaded without integrity metadata. */

import { z } from 'zod'
import { dispositions } from '../../schema/enumerations.ts'
import { inventorySize } from '../../schema/scripts.ts'
import { halfMd5s } from '../sql/matches.ts'
import type { Query } from '../sql/query.ts'
import { rowCount, rowTime } from '../sql/rows.ts'
import { empty, type Sql, sql, uint } from '../sql/sql.ts'
import { paymentPagesAmong, scriptReports } from './activity.ts'
import { type InventoryFilter, inventoriedUrls } from './script-inventory.ts'

/**
 * A row for each script; violations that name no script share the URL '', which counts as inventoried.
 * @param known URLs of the inventory, at most 1,000.
 * @param truncated the inventory has more.
 */
export function violatingScripts(filter: InventoryFilter, known: readonly string[], truncated: boolean): Sql {
  const violations = scriptReports({ ...filter, url: undefined }, 'integrity-violation')
  const isOther = truncated ? sql` OR url IN ${inventoriedUrls(filter)}` : empty
  // At the same time, enforce wins.
  const mode = sql`if(max((seen_to, disposition = 'enforce')).2, 'enforce', 'report')`
  const seenTimes = sql`arrayWithConstant(length(page_ids), toUnixTimestamp64Milli(seen_to))`
  const lastOnPayment = sql`maxMap(mapFromArrays(page_ids, ${seenTimes}))`
  const matched = sql`${violations} AS violated
    LEFT JOIN ${paymentPagesAmong(violations, filter)} AS matched USING (page)`
  const [onPayment, reports] = filter.hasPaymentPages
    ? [lastOnPayment, matched]
    : [sql`CAST(map(), 'Map(String, Int64)')`, violations]
  return sql`
    SELECT url, max(seen_to) AS lastAt, ${mode} AS mode, ${onPayment} AS lastOnPayment,
      halfMD5(url) IN ${halfMd5s(known)} AS isKnown, (isKnown OR url = ''${isOther})::Bool AS isInventoried
    FROM ${reports}
    GROUP BY url`
}

const scriptViolationRow = z.object({
  url: z.string(),
  lastAt: rowTime,
  /** Mode of the last load. */
  mode: z.enum(dispositions),
  /** Last load on each payment page by its id, in milliseconds since the Unix epoch. */
  lastOnPayment: z.record(z.string(), z.int()),
  isInventoried: z.boolean(),
})

export type ScriptViolation = z.infer<typeof scriptViolationRow>

/**
 * Latest first: the known scripts and 1,000 others, preferring scripts outside the inventory, then on payment pages,
 * then the latest.
 */
export function listScriptViolations(...scripts: Parameters<typeof violatingScripts>): Query<ScriptViolation> {
  const chosen = sql`${violatingScripts(...scripts)}
    ORDER BY isKnown DESC, isInventoried, notEmpty(lastOnPayment) DESC, lastAt DESC, url
    LIMIT ${uint(inventorySize)} BY isKnown`
  return {
    name: 'listScriptViolations',
    statement: sql`
      SELECT url, lastAt, mode, lastOnPayment, isInventoried
      FROM (${chosen})
      ORDER BY lastAt DESC, url`,
    row: scriptViolationRow,
  }
}

const uninventoriedScriptRow = z.object({ host: z.string(), scripts: rowCount, onPayment: rowCount })

export type UninventoriedCount = z.infer<typeof uninventoriedScriptRow>

/** Unprotected scripts that the inventory lacks, by host of a known script; other hosts share the row ''. */
export function countUninventoriedScripts(
  filter: InventoryFilter,
  known: readonly string[],
  truncated: boolean,
): Query<UninventoriedCount> {
  const hosts = new Set(known.map((url) => new URL(url).hostname))
  return {
    name: 'countUninventoriedScripts',
    statement: sql`
      WITH replaceRegexpOne(splitByChar('/', url)[3], ':[0-9]+$', '') AS hostname
      SELECT if(halfMD5(hostname) IN ${halfMd5s([...hosts])}, hostname, '') AS host,
        count() AS scripts, countIf(notEmpty(lastOnPayment)) AS onPayment
      FROM (${violatingScripts(filter, known, truncated)})
      WHERE NOT isInventoried
      GROUP BY host`,
    row: uninventoriedScriptRow,
  }
}
