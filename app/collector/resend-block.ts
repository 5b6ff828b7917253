import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { collectorTokenPrefix, logImportSteps } from '../../clickhouse/log-import-steps.ts'
import type { Database } from '../../queries/clickhouse/database.ts'
import { clickHouseReportWriter } from '../import/reports/clickhouse-report-writer.ts'
import { withRetry } from '../import/with-retry.ts'
import type { BlockFile } from './block-files.ts'
import { readBlock } from './spool.ts'

/**
 * Inserts a block that was set aside, under the token of before, and removes its file. Throws if ClickHouse refuses it
 * again, and the file stays.
 */
export async function resendBlock(database: Database, { path, token }: BlockFile): Promise<void> {
  const block = await readBlock(path, token)
  if (!block) throw new Error(`${path} is not a complete block`)
  const { tenantIds, rows } = block
  // Not the collector's, which can have another block in flight.
  const stepToken = collectorTokenPrefix + randomUUID()
  const logSteps = logImportSteps(database)
  await logSteps(tenantIds, stepToken, 'started')
  try {
    const writer = clickHouseReportWriter(database)
    if (rows.length > 0) await withRetry(() => writer.write([rows], token), undefined)
  } finally {
    await logSteps(tenantIds, stepToken, 'done')
  }
  await rm(path)
}
