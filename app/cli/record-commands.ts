import { recordTypes } from '../import/all-record-types.ts'
import { importRecords } from '../import/import-records.ts'
import type { RecordType } from '../import/record-type.ts'
import { site, tenant } from './argument-shapes.ts'
import { type Command, command } from './command.ts'
import { describeRecords, describeRepeats } from './describe-records.ts'
import { requireSites, requireTenant } from './require-tenant.ts'
import { file, rejectedNote, runImport } from './run-import.ts'

/** `import pages` and the others, one for each kind of records. */
export const recordCommands: Readonly<Record<string, Command>> = Object.fromEntries(
  recordTypes.map((type) => [type.name, recordCommand(type)]),
)

interface Values {
  readonly tenant?: string
  readonly site?: string | undefined
  readonly file: string
}

function recordCommand(type: RecordType): Command {
  const { name, things, siteByFlag = false, ofEveryone = false } = type
  const siteOfLines = { ...site, about: 'The site of lines that name none' }
  const flags = `${ofEveryone ? '' : ' --tenant ID'}${siteByFlag ? ' --site ID' : ''}`
  return command({
    about: `Store ${things}, one JSON line each`,
    arguments: { ...(!ofEveryone && { tenant }), ...(siteByFlag && { site: siteOfLines }), file },
    notes: [
      ...describeRecords(type),
      'Prints {"records", "stored", "rejected"}; "stored" counts the lines accepted, also those that were there already.',
      ...rejectedNote,
      ...describeRepeats(type),
    ],
    examples: [`import ${name}${flags} ${name}.ndjson`, `import ${name}${flags} - < ${name}.ndjson`],
    run: (values: Values, context) =>
      runImport(context, values.file, async ({ reader, writer }) => {
        const { tenant: tenantId, site: siteId } = values
        if (tenantId !== undefined) {
          await requireTenant(reader, tenantId)
          await requireSites(reader, tenantId, siteId)
        }
        return ({ showRead, ...given }) =>
          importRecords({
            ...given,
            type,
            database: writer,
            tenantId,
            siteId,
            onProgress: ({ bytesRead, records }) => showRead(bytesRead, records, things),
          })
      }),
  })
}
