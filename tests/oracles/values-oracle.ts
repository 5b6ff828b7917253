/** @module Values of one dimension, computed the plain way: no SQL, no rollups, no code of the API. */

import type { DimensionName } from '../../schema/dimensions.ts'
import type { StoredReport } from '../../schema/stored-report.ts'
import { byBytes, dimensionValue, estimated } from './oracle-parts.ts'

const lowerCase: readonly string[] = ['siteId', 'documentHost', 'blockedHost']

/** @param found the reports that the filters match. */
export function oracleValues(
  found: readonly StoredReport[],
  dimension: DimensionName,
  contains: string | undefined,
  limit: number,
) {
  const part = lowerCase.includes(dimension) ? contains?.toLowerCase() : contains
  const byValue = new Map<string, StoredReport[]>()
  for (const row of found) {
    const value = dimensionValue(row, dimension)
    byValue.set(value, [...(byValue.get(value) ?? []), row])
  }
  const values = [...byValue]
    .filter(([value]) => value.includes(part ?? ''))
    .sort(([a, rowsOfA], [b, rowsOfB]) => rowsOfB.length - rowsOfA.length || byBytes(a, b))
    .map(([value, rows]) => ({ value, reportCount: rows.length, estimatedReportCount: estimated(rows) }))
  return { data: values.slice(0, limit), truncated: values.length > limit }
}
