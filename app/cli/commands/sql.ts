import { text as readText } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import type { Command } from '@commander-js/extra-typings'
import { z } from 'zod'
import { argument, option } from '../arguments.ts'
import type { Context } from '../context.ts'
import { subcommand } from '../subcommand.ts'
import { terminalChunks } from '../terminal-text.ts'

const statementArgument = argument('<STATEMENT>', {
  about: 'The statement',
  takes: 'one statement in quotes, or - to read it from stdin',
  schema: z.string().regex(/\S/),
})

const format = option('--format <FORMAT>', {
  about: 'Format of the rows (default: PrettyCompact on a terminal, TabSeparated elsewhere)',
  takes: 'a format of ClickHouse such as TSVWithNames, CSV, JSONEachRow or Vertical',
  schema: z.string().regex(/^[A-Za-z][A-Za-z0-9]{0,63}$/),
})

export function addSql(program: Command, context: Context): void {
  subcommand(program, 'sql', {
    about: 'Run one reading statement and print its rows as they come',
    notes: [
      'It runs as the analyst: it reads no key and no token, cannot write, and is ended at 30 seconds, 4 GB of memory, and',
      '1,000,000 rows or 1 GB of a result; the rows printed by then are a part of it. With CLICKHOUSE_URL it has the rights',
      'and limits of that user, less writing. On a terminal control characters of the rows are shown as \\x1b.',
    ],
    examples: [
      'sql "SELECT report_type, count() FROM reports GROUP BY report_type"',
      'sql --format CSVWithNames "SELECT * FROM tenants FINAL" > tenants.csv',
      'sql - < question.sql',
    ],
  })
    .addArgument(statementArgument)
    .addOption(format)
    .action(async (given, options) => {
      const { stdin, stdout } = context
      const { analyst } = await context.database('any')
      const statement = given === '-' ? await readText(stdin) : given
      const format = options.format ?? (stdout.isTTY ? 'PrettyCompact' : 'TabSeparated')
      // The user of CLICKHOUSE_URL may be the writer.
      const rows = await analyst.stream(statement, format, { settings: { readonly: '2' } })
      await pipeline(stdout.isTTY ? terminalChunks(rows) : rows, stdout, { end: false })
    })
}
