import { untilVersionsExpire } from '../../../clickhouse/rollups/until-versions-expire.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { withLease } from '../../program/lease.ts'
import { withRetry } from '../../program/with-retry.ts'
import type { ByteSource } from '../ndjson/read-batches.ts'
import type { ImportTenant } from './batch-ranges.ts'
import { type ImportTarget, importInto } from './import-into.ts'
import { type ImportOptions, importReports } from './import-reports.ts'
import { createTally, type ImportResult } from './import-tally.ts'

interface FilesOptions extends Pick<ImportOptions, 'tenantId' | 'siteId'> {
  readonly database: Database
  readonly target: ImportTarget
  readonly signal: AbortSignal
  /** A pipe or a followed file can be silent for days, so it takes the tenant's lease separately for each batch. */
  readonly isLive: boolean
  /** Reads the tenant's settings, at the start and again under the lease. Throws if it has no site. */
  readonly readTenant: () => Promise<ImportTenant>
  /** Called once while another process uses the tenant; an error ends this import. */
  readonly onWait: (holder: string, kind: string) => void
  /** Called under the lease, or at once for a live source. */
  readonly run: (importLines: (lines: LineStreams) => Promise<ImportResult>) => Promise<void>
  readonly onRemoved: (count: number) => void
}

/** Input, progress and rejected lines of an import. */
export interface LineStreams {
  readonly files: AsyncIterable<ByteSource> | Iterable<ByteSource>
  readonly onReject: NonNullable<ImportOptions['onReject']>
  /** Shows `3,000 reports, 900/s`. */
  showRead(bytesRead: number, count: number, things: string): void
}

type Leased = Pick<ImportOptions, 'checkLease' | 'withTenant'>

/** Imports reports of files, one after another, under the tenant's lease; counts are those of all files. */
export async function importFiles({ database, readTenant, isLive, run, ...options }: FilesOptions): Promise<void> {
  const { tenantId, siteId, signal, onWait, onRemoved, target } = options
  const beforeClaim = async () => void (await withRetry(readTenant, signal))

  function withTenant(task: (tenant: ImportTenant, checkLease: () => Promise<void>) => Promise<void>) {
    return withLease({ database, leaseId: tenantId, kind: 'import', signal, onWait, beforeClaim }, async (checkLease) =>
      // Sites may have been added in between.
      task(await withRetry(readTenant, signal), checkLease),
    )
  }

  const importEach = (tenant: ImportTenant, leased: Leased) =>
    run(async ({ files, onReject, showRead }) => {
      const tally = createTally()
      const into = importInto(database, tenantId, { ...target, signal })
      for await (const source of files) {
        await importReports({
          ...tenant,
          ...leased,
          ...into,
          source,
          tally,
          siteId,
          signal,
          onReject,
          onProgress: ({ bytesRead, reports }) => showRead(bytesRead, reports, 'reports'),
        })
      }
      await untilVersionsExpire()
      if (tally.removed > 0) onRemoved(tally.removed)
      return tally.result()
    })

  const atStart = await readTenant()
  if (isLive) await importEach(atStart, { withTenant })
  else await withTenant((tenant, checkLease) => importEach(tenant, { checkLease }))
}
