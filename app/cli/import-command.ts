import { z } from 'zod'
import type { Database } from '../../queries/clickhouse.ts'
import { entitlements } from '../../schema/plans.ts'
import { clickHouseLedger } from '../import/clickhouse-ledger.ts'
import { clickHouseReportWriter } from '../import/clickhouse-report-writer.ts'
import { importReports } from '../import/import-reports.ts'
import type { ImportResult } from '../import/import-tally.ts'
import { createRejectedFile } from '../import/rejected-file.ts'
import { site, tenant } from './argument-shapes.ts'
import { type Context, command } from './command.ts'
import { type ImportSource, openImportSource } from './import-source.ts'
import { requireSites, requireTenant } from './require-tenant.ts'
import { showProgress } from './show-progress.ts'

/** `import reports` */
export const importCommand = command({
  about: 'Store the reports of a file of browser POSTs, one JSON line each',
  arguments: {
    tenant,
    site,
    file: {
      kind: 'positional',
      shape: z.string().min(1),
      hint: 'FILE',
      about: 'NDJSON file',
      takes: 'the path of a file, or - to read stdin',
    },
  },
  notes: [
    'A line is {"receivedAt", "contentType", "userAgent", "site", "sampleRate", "body"}, or the body alone.',
    'Prints {"posts", "reports", "stored", "skipped", "rejected"}. A line that cannot be stored goes with its number',
    'and the reason to FILE.rejected.ndjson (stdin.rejected.ndjson) and stops nothing; the exit code is then 1.',
    'Ctrl-C stops after the batch under way. An import that was stopped or killed and is run again goes on where it',
    'was: no report is stored twice, and none is lost.',
  ],
  examples: ['import reports --tenant ID posts.ndjson', 'import reports --tenant ID - < posts.ndjson'],
  async run(values, context) {
    const source = await openImportSource(values.file, context.stdin, context.folder)
    const stopping = stopOnSignal(context, source)
    try {
      const { reader, writer } = await context.engine()
      const { plan, overrides } = await requireTenant(reader, values.tenant)
      const sites = await requireSites(reader, values.tenant, values.site)
      if (sites.length === 0) throw new Error('The tenant has no site yet: make one with "sites create"')
      const result = await runImport(writer, context, source, {
        tenantId: values.tenant,
        siteId: values.site,
        sites,
        retentionDays: entitlements(plan, overrides).retentionDays,
        signal: stopping.signal,
      })
      return { answer: result, exitCode: result.rejected > 0 ? 1 : 0 }
    } catch (error) {
      if (stopping.signal.aborted) throw new Error('Stopped. Run the same command again: it goes on where it was')
      throw error
    } finally {
      stopping.end()
      source.stream.destroy()
    }
  },
})

type Given = Omit<Parameters<typeof importReports>[0], 'source' | 'ledger' | 'writer' | 'onProgress' | 'onReject'>

async function runImport(
  writer: Database,
  context: Context,
  { stream, size, rejectedPath }: ImportSource,
  given: Given,
): Promise<ImportResult> {
  const progress = showProgress(context.stderr, size)
  const rejected = await createRejectedFile(rejectedPath)
  const started = performance.now()
  try {
    return await importReports({
      ...given,
      source: stream,
      ledger: clickHouseLedger(writer, given.tenantId),
      writer: clickHouseReportWriter(writer),
      onReject: (rejection) => rejected.write(rejection),
      onProgress: ({ bytesRead, reports }) => {
        const rate = Math.round((reports * 1000) / Math.max(1, performance.now() - started))
        progress.update(bytesRead, `${reports.toLocaleString('en')} reports, ${rate.toLocaleString('en')}/s`)
      },
    })
  } finally {
    progress.end()
    if (await rejected.close()) context.say(`What was rejected, and why: ${rejectedPath}`)
  }
}

/** The first Ctrl-C or SIGTERM ends the import after the batch under way, the second ends the process. */
function stopOnSignal(context: Context, { stream }: ImportSource) {
  const controller = new AbortController()
  const stop = () => {
    if (controller.signal.aborted) process.exit(130)
    context.say('Stopping after the batch under way; press Ctrl-C again to stop at once')
    controller.abort()
    // A pipe that is silent would be waited for.
    stream.destroy()
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  return {
    signal: controller.signal,
    end() {
      process.off('SIGINT', stop)
      process.off('SIGTERM', stop)
    },
  }
}
