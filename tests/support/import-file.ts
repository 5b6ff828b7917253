import { createReadStream } from 'node:fs'
import type { ImportSite } from '../../app/import/normalise/host-patterns.ts'
import { importInto } from '../../app/import/reports/import-into.ts'
import { type ImportOptions, importReports } from '../../app/import/reports/import-reports.ts'
import type { ImportResult } from '../../app/import/reports/import-tally.ts'
import { connectPatiently } from './patience.ts'

/** An import in batches so small that a file of a megabyte has many. */
export interface SmallImport {
  readonly writeUrl: string
  readonly path: string
  readonly tenantId: string
  readonly sites: readonly ImportSite[]
  readonly siteId?: string
  readonly onReject?: NonNullable<ImportOptions['onReject']>
  /** 3,650 by default. */
  readonly retentionDays?: number
  /** Clock of the import. */
  readonly importedAt?: Date
  /** Start of ClickHouse's machine; not known by default. */
  readonly boot?: string
  /** Small ones by default. */
  readonly limits?: ImportOptions['limits']
  /** The step of a batch behind which the import fails, and how often it succeeds before. */
  readonly failsAt?: { readonly step: 'start' | 'write' | 'restore' | 'finish'; readonly after: number }
}

/** Imports a file, in this process. */
export async function importFile(
  { writeUrl, path, failsAt, boot, ...given }: SmallImport,
  onProgress: (reports: number) => void = () => {},
): Promise<ImportResult> {
  const database = connectPatiently(writeUrl)
  const boots = boot === undefined ? undefined : { read: async () => boot, isSame: Object.is }
  const { importLog, writer, restorer } = importInto(database, given.tenantId, { boots })
  let steps = 0
  const failing =
    <Arguments extends unknown[], Result>(step: string, task: (...given: Arguments) => Promise<Result>) =>
    async (...taken: Arguments) => {
      const result = await task(...taken)
      if (step === failsAt?.step && steps++ === failsAt.after) throw new Error('no further')
      return result
    }
  try {
    return await importReports({
      ...given,
      source: createReadStream(path),
      retentionDays: given.retentionDays ?? 3_650,
      importLog: {
        ...importLog,
        start: failing('start', importLog.start),
        finish: failing('finish', importLog.finish),
      },
      writer: { write: failing('write', writer.write) },
      restorer: { ...restorer, insertMissing: failing('restore', restorer.insertMissing) },
      limits: given.limits ?? { batchBytes: 70_000, maxLineBytes: 20_000 },
      onProgress: ({ reports }) => onProgress(reports),
    })
  } finally {
    await database.close()
  }
}

// As a script, for a test that kills it: the import as JSON in the one argument.
const [, script, given] = process.argv
if (given !== undefined && script === import.meta.filename) {
  const result = await importFile(JSON.parse(given), (reports) => process.stdout.write(`read ${reports}\n`))
  process.stdout.write(`done ${JSON.stringify(result)}\n`)
}
