import type { Command } from '@commander-js/extra-typings'
import { recordTypes } from '../../import/records/all-record-types.ts'
import type { Context } from '../command/context.ts'
import { subcommand } from '../command/subcommand.ts'
import { addImportRecords } from '../import/import-records.ts'
import { addImportReports } from '../import/import-reports.ts'

export function addImport(program: Command, context: Context): void {
  const group = subcommand(program, 'import', { about: 'Import reports and records' })
  addImportReports(group, context)
  for (const type of recordTypes) addImportRecords(group, context, type)
}
