import { resolve } from 'node:path'
import type { Command } from '@commander-js/extra-typings'
import { z } from 'zod'
import { exportFormatNames } from '../../../schema/export-formats.ts'
import { retentionStart } from '../../../schema/plans.ts'
import { reportTypeNames } from '../../../schema/report-types.ts'
import { withProgress } from '../../program/show-progress.ts'
import { option, repeatableOption } from '../command/arguments.ts'
import type { Context } from '../command/context.ts'
import { openDownload, withApi } from '../command/open-download.ts'
import { requestApi } from '../command/request-api.ts'
import { api, tenantUnlessApi } from '../command/shared-arguments.ts'
import { subcommand } from '../command/subcommand.ts'
import { exportToFolder } from '../export/export-folder.ts'

const to = option('--to <DIR>', {
  about: 'Folder of the files',
  takes: 'the path of a new folder, or of an earlier export',
  schema: z.string().min(1),
}).makeOptionMandatory()

const format = option('--format <FORMAT>', {
  about: 'Format of the files (default: parquet)',
  takes: exportFormatNames.join(', '),
  schema: z.enum(exportFormatNames),
})

const type = repeatableOption('--type <TYPE>', {
  about: 'Report type (default: all)',
  takes: reportTypeNames.join(', '),
  schema: z.enum(reportTypeNames),
})

const profile = z.object({ data: z.object({ tenant: z.object({ retentionDays: z.int() }) }) })

export function addExport(program: Command, context: Context): void {
  subcommand(program, 'export', {
    about: 'Export reports that were stored since the last run to files',
    notes: [
      'The first run exports all reports within retention. Run it by cron: DIR/manifest.json has the cursor of each type. It is safe to',
      'interrupt: run it again to continue. Each run writes new files of at most 100,000 reports, TYPE/YYYY-MM-DD/HH-NUMBER.parquet, and',
      'changes no earlier file, so they can be moved elsewhere. Late imports are in the files of the run after they were stored.',
      'With --api it needs no database. A key of the tenant or a site in API_KEY is enough, and its budget is spent: a request per file and',
      'type, and one more per 10,000 reports.',
      'Prints {"folder", "files", "reports"} of this run.',
    ],
    examples: [
      'export --tenant ID --to /var/lib/reports',
      'export --api https://reports.example.com --to /var/lib/reports --format ndjson --type csp-violation --type crash',
    ],
  })
    .addOption(tenantUnlessApi)
    .addOption(to)
    .addOption(format)
    .addOption(type)
    .addOption(api)
    .action(async ({ to, format = 'parquet', type: types = reportTypeNames, tenant, api }) => {
      const folder = resolve(context.folder, to)
      const me = profile.parse(await requestApi(context, { tenant, api }, '/v1/me', {}))
      const from = retentionStart(me.data.tenant.retentionDays, new Date()).toISOString()
      const written = await withApi(context, { tenant, api }, (url, key) =>
        withProgress(context.stderr, undefined, (onProgress) =>
          exportToFolder({
            folder,
            format,
            types,
            from,
            onProgress,
            open: (request) => openDownload(url, key, '/v1/reports/export', request),
          }),
        ),
      )
      context.finish({ folder: to, ...written })
    })
}
