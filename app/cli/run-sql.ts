import { text as readText } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'
import { command } from './command.ts'
import { terminalPieces } from './terminal-text.ts'

/** `sql` */
export const runSql = command({
  about: 'Run one reading statement and print its answer as it comes',
  arguments: {
    statement: {
      kind: 'positional',
      shape: z.string().regex(/\S/),
      hint: 'STATEMENT',
      about: 'The statement',
      takes: 'one statement in quotes, or - to read it from stdin',
    },
    format: {
      shape: z
        .string()
        .regex(/^[A-Za-z][A-Za-z0-9]{0,63}$/)
        .optional(),
      hint: 'FORMAT',
      about: 'Format of the answer (default: PrettyCompact on a terminal, TabSeparated elsewhere)',
      takes: 'a format of ClickHouse such as TSVWithNames, CSV, JSONEachRow or Vertical',
    },
  },
  notes: [
    'It runs as the reader: it cannot write, and is ended at 30 seconds, 4 GB of memory, and 1,000,000 rows or 1 GB of',
    'an answer; what was printed by then is a part of it. With CLICKHOUSE_URL it has the rights and limits of that',
    'user, less writing. On a terminal control characters of the answer are shown as \\x1b.',
  ],
  examples: [
    'sql "SELECT report_type, count() FROM reports GROUP BY report_type"',
    'sql --format CSVWithNames "SELECT * FROM tenants FINAL" > tenants.csv',
    'sql - < question.sql',
  ],
  async run(values, context) {
    const { reader } = await context.engine('any')
    const statement = values.statement === '-' ? await readText(context.stdin) : values.statement
    const format = values.format ?? (context.stdout.isTTY ? 'PrettyCompact' : 'TabSeparated')
    // The user of CLICKHOUSE_URL may be one that writes.
    const answer = await reader.stream(statement, format, { settings: { readonly: '2' } })
    await pipeline(context.stdout.isTTY ? terminalPieces(answer) : answer, context.stdout, { end: false })
    return {}
  },
})
