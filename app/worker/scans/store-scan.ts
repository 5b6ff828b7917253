import type { Database } from '../../../queries/clickhouse/database.ts'
import type { Config } from '../../config.ts'
import { importObjects } from '../../import/records/import-objects.ts'
import { scans } from '../../import/records/types/scans.ts'
import type { createScanCapture } from '../captures/capture-scan.ts'
import { createGuard } from '../fetch/guard.ts'
import { type PageToScan, type ScanOptions, type ScanRecord, scanPage } from './scan-page.ts'
import { type ScanSettings, scanLimits } from './scan-settings.ts'

export interface StoredScan extends ScanOptions {
  readonly database: Pick<Database, 'read' | 'insert'>
  readonly tenantId: string
  readonly capture?: ReturnType<typeof createScanCapture>
}

export const scanSettings = ({ OUTBOUND_ALLOWED, SCAN_USER_AGENT }: Config): ScanSettings => ({
  guard: createGuard(OUTBOUND_ALLOWED),
  userAgent: SCAN_USER_AGENT,
  limits: scanLimits,
})

/** Scans a page and imports the record; of records with one id the first is stored. Throws the signal's reason. */
export async function storeScan(page: PageToScan, options: StoredScan): Promise<ScanRecord> {
  const { database, tenantId, scanId, signal, capture } = options
  const settings = { ...options.settings, ...(capture && { keepScript: capture.keep }) }
  const scan = await scanPage(page, { scanId, settings, signal })
  await importObjects({ type: scans, database, tenantId, token: scanId, signal }, [scan])
  await capture?.record()
  return scan
}
