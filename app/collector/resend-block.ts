import { randomUUID } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import type { Cluster } from '../../clickhouse/cluster/open-cluster.ts'
import { collectorTokenPrefix, logImportSteps } from '../../clickhouse/log-import-steps.ts'
import type { Database } from '../../queries/clickhouse/database.ts'
import { clickHouseReportWriter } from '../import/reports/clickhouse-report-writer.ts'
import { withRetry } from '../program/with-retry.ts'
import { readOldBlock } from './adopt-blocks.ts'
import { createRestoreBlocks } from './restore-blocks.ts'
import { readSegment, type SegmentContent, tenantsOf } from './segment-file.ts'
import type { SegmentFile } from './segment-folder.ts'

/** Undefined for bytes that are no rows; a block can be of release 0.2.0. */
export const readBlock = async (path: string): Promise<SegmentContent | undefined> =>
  readSegment(await readFile(path)) ?? (await readOldBlock(path))?.content

/**
 * Stores a block that was set aside, and removes its file. Throws and keeps the file if ClickHouse refuses it again.
 */
export async function resendBlock(
  database: Database,
  cluster: Cluster | undefined,
  { path, token }: SegmentFile,
): Promise<void> {
  const block = await readBlock(path)
  if (!block) throw new Error(`${path} is not a complete block`)
  // A separate token, because the collector can have another block in flight.
  const stepToken = collectorTokenPrefix + randomUUID()
  const logSteps = logImportSteps(database)
  const writer = clickHouseReportWriter(database)
  const tenantIds = tenantsOf(block.records)
  if (cluster) {
    await logSteps(tenantIds, stepToken, 'started')
    const lines = block.records.map((record) => record.lines)
    await withRetry(() => writer.write(lines, token, undefined, block.columns), undefined).finally(() =>
      logSteps(tenantIds, stepToken, 'done'),
    )
  } else {
    const restore = createRestoreBlocks({ database, writer, logSteps, lateMs: 0 })
    const { signal } = new AbortController()
    const blocks = [{ token, load: async () => block }]
    const { refused, unsettled } = await restore(blocks, stepToken, { salt: stepToken }, signal)
    if (refused.size > 0)
      throw new Error(`ClickHouse rejected ${token} again: ${unsettled[0] ?? 'a value does not fit'}`)
  }
  await rm(path)
}
