import type { Database } from '../../../queries/clickhouse/database.ts'
import type { ScriptCapture } from '../../../schema/responses/script.ts'
import { importObjects } from '../../import/records/import-objects.ts'
import { scriptCaptures } from '../../import/records/types/script-captures.ts'
import type { WorkerMetrics } from '../worker-metrics.ts'

type Named = 'state' | 'source' | 'fetchedUrl'

/** A line of `import captures`. */
export interface CaptureRecord extends Pick<ScriptCapture, Named>, Partial<Omit<ScriptCapture, Named>> {
  readonly siteId: string
  readonly url: string
  readonly hash: string
  readonly attemptedAt?: string
}

export interface CaptureTarget {
  readonly database: Pick<Database, 'read' | 'insert'>
  readonly metrics: Pick<WorkerMetrics, 'countCapture'>
}

/** Throws if a record already has another final state. */
export async function recordCaptures(
  { database, metrics }: CaptureTarget,
  tenantId: string,
  records: readonly CaptureRecord[],
): Promise<void> {
  await importObjects({ type: scriptCaptures, database, tenantId }, records)
  for (const { state } of records) if (state !== 'pending') metrics.countCapture(state)
}
