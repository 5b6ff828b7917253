import { z } from 'zod'
import type { Scan } from '../../schema/replies/scan.ts'
import type { Query } from '../query.ts'
import { at, sql, uuid } from '../sql.ts'
import type { ScanPlace } from './scan-history.ts'

/** The wide part of a scan. */
export type ScanDetails = Pick<Scan, 'result' | 'scripts'>

/** JSON of ours, checked when it was stored; '' for none. */
const stored = <Value>() => z.string().transform((json) => (json === '' ? null : (JSON.parse(json) as Value)))

const row: z.ZodType<ScanDetails> = z.object({
  result: stored<NonNullable<Scan['result']>>(),
  scripts: stored<NonNullable<Scan['scripts']>>(),
})

/** The result of a scan, and its scripts where they are asked for: one row or none. */
export function findScanDetails(
  tenantId: string,
  { pageId, id, scannedAt }: Pick<ScanPlace, 'pageId' | 'id' | 'scannedAt'>,
  withScripts: boolean,
): Query<ScanDetails> {
  return {
    name: 'findScanDetails',
    statement: sql`SELECT result, ${withScripts ? sql`scripts` : sql`'' AS scripts`} FROM page_scans FINAL WHERE tenant_id = ${uuid(tenantId)} AND page_id = ${uuid(pageId)} AND scanned_at = ${at(new Date(scannedAt))} AND id = ${uuid(id)}`,
    row,
  }
}
