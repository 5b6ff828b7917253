import type { Command } from '@commander-js/extra-typings'
import { importRecords } from '../../import/records/import-records.ts'
import type { RecordType } from '../../import/records/record-type.ts'
import type { LineStreams } from '../../import/reports/import-files.ts'
import type { Context } from '../command/context.ts'
import { requireSites, requireTenant } from '../command/require-tenant.ts'
import { file, siteOfLines, tenant } from '../command/shared-arguments.ts'
import { subcommand } from '../command/subcommand.ts'
import { describeRecords, describeRepeats } from './describe-records.ts'
import { rejectedNote, runImport } from './run-import.ts'

interface Options {
  readonly tenant?: string
  readonly site?: string
}

export function addImportRecords(group: Command, context: Context, type: RecordType): void {
  const { name, label, siteFromFlag = false, isGlobal = false } = type
  const flags = `${isGlobal ? '' : ' --tenant ID'}${siteFromFlag ? ' --site ID' : ''}`
  const command = subcommand(group, name, {
    about: `Import ${label}, one JSON object per line`,
    notes: () => [
      ...describeRecords(type),
      'Prints {"records", "stored", "rejected"}; "stored" counts accepted lines, including lines stored before.',
      ...rejectedNote,
      ...describeRepeats(type),
    ],
    examples: [`import ${name}${flags} ${name}.ndjson`, `import ${name}${flags} - < ${name}.ndjson`],
  }).addArgument(file)
  if (!isGlobal) command.addOption(tenant)
  if (siteFromFlag) command.addOption(siteOfLines())
  command.action(async (path, { tenant: tenantId, site: siteId }: Options) =>
    runImport(context, { path }, async ({ reader, writer }, run) => {
      if (tenantId !== undefined) {
        await requireTenant(reader, tenantId)
        await requireSites(reader, tenantId, siteId)
      }
      await run(({ showRead, files, ...options }) =>
        importRecords({
          ...options,
          source: allOf(files),
          type,
          database: writer,
          tenantId,
          siteId,
          onProgress: ({ bytesRead, records }) => showRead(bytesRead, records, label),
        }),
      )
    }),
  )
}

async function* allOf(files: LineStreams['files']): AsyncGenerator<Uint8Array | string> {
  for await (const file of files) yield* file
}
