import { z } from 'zod'
import type { Scan } from '../../schema/responses/scan.ts'
import type { Query } from '../sql/query.ts'
import { rowJson } from '../sql/rows.ts'
import { at, sql, uuid } from '../sql/sql.ts'
import type { ScanRef } from './scan-history.ts'

export type ScanDetails = Pick<Scan, 'result' | 'scripts'>

const row: z.ZodType<ScanDetails> = z.object({
  result: rowJson(z.custom<Scan['result']>(), 'null'),
  scripts: rowJson(z.custom<Scan['scripts']>(), 'null'),
})

/** One row or none; scripts are null without `withScripts`. */
export function findScanDetails(
  tenantId: string,
  { pageId, id, scannedAt }: Pick<ScanRef, 'pageId' | 'id' | 'scannedAt'>,
  withScripts: boolean,
): Query<ScanDetails> {
  return {
    name: 'findScanDetails',
    statement: sql`
      SELECT result, ${withScripts ? sql`scripts` : sql`'' AS scripts`}
      FROM page_scans FINAL
      WHERE tenant_id = ${uuid(tenantId)} AND page_id = ${uuid(pageId)} AND scanned_at = ${at(new Date(scannedAt))}
        AND id = ${uuid(id)}`,
    row,
  }
}
