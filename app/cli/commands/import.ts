import type { Command } from '@commander-js/extra-typings'
import { recordTypes } from '../../import/records/all-record-types.ts'
import type { Context } from '../context.ts'
import { addImportRecords } from '../import-records.ts'
import { addImportReports } from '../import-reports.ts'
import { subcommand } from '../subcommand.ts'

export function addImport(program: Command, context: Context): void {
  const group = subcommand(program, 'import', { about: 'Put data in' })
  addImportReports(group, context)
  for (const type of recordTypes) addImportRecords(group, context, type)
}
