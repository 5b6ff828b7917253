import { text as readText } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import type { Command } from '@commander-js/extra-typings'
import { z } from 'zod'
import {
  describeSavedQuery,
  findSavedQuery,
  parameterValues,
  readSavedQueries,
} from '../../../clickhouse/saved-queries/saved-queries.ts'
import { isNamed } from '../../../queries/clickhouse/error-codes.ts'
import { argument, option, repeatableOption } from '../command/arguments.ts'
import type { Context } from '../command/context.ts'
import { subcommand } from '../command/subcommand.ts'
import { terminalChunks } from '../command/terminal-text.ts'

const statementArgument = argument('[STATEMENT]', {
  about: 'The statement',
  takes: 'one statement in quotes, - to read it from stdin, or with --saved the name of a saved query',
  schema: z.string().regex(/\S/),
})

const parameter = repeatableOption('--param <NAME=VALUE>', {
  about: 'Value of a parameter {name:Type} of the statement',
  takes: 'a name, = and a value, such as hours=24',
  schema: z
    .string()
    .regex(/^\w+=/)
    .transform((text) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)] as const),
})

const format = option('--format <FORMAT>', {
  about:
    'Format of the rows (default: PrettyCompact on a terminal, elsewhere TabSeparated, with names for a saved query)',
  takes: 'a format of ClickHouse such as TSVWithNames, CSV, JSONEachRow or Vertical',
  schema: z.string().regex(/^[A-Za-z][A-Za-z0-9]{0,63}$/),
})

export function addSql(program: Command, context: Context): void {
  subcommand(program, 'sql', {
    about: 'Run one reading statement or a saved query and print its rows as they come',
    notes: [
      'It runs as the analyst: no table shows it a key or a token, it cannot write, and is ended at 30 seconds, 4 GB of memory, and',
      '1,000,000 rows or 1 GB of a result; the rows printed by then are a part of it. With CLICKHOUSE_URL it has the rights',
      'and limits of that user, less writing. On a terminal control characters of the rows are shown as \\x1b.',
      'Saved queries answer questions of people on call: --saved without a name lists them.',
    ],
    examples: [
      'sql "SELECT report_type, count() FROM reports_named GROUP BY report_type"',
      'sql --format CSVWithNames "SELECT * FROM tenants FINAL" > tenants.csv',
      'sql - < question.sql',
      'sql --saved',
      'sql --saved bursts --param tenant=ID --param hours=6',
    ],
  })
    .addArgument(statementArgument)
    .option('--saved', 'STATEMENT is the name of a saved query; without a name all are listed')
    .addOption(parameter)
    .addOption(format)
    .action(async (given, { saved, param = [], format }) => {
      const { stdin, stdout } = context
      if (saved && given === undefined) {
        for (const query of await readSavedQueries()) stdout.write(`${describeSavedQuery(query).join('\n')}\n`)
        return
      }
      if (given === undefined)
        throw new Error(`missing required argument 'STATEMENT' (${statementArgument.description})`)
      const values = uniqueValues(param)
      const query = saved ? findSavedQuery(await readSavedQueries(), given) : undefined
      const params = query ? parameterValues(query, values) : values
      const statement = query?.statement ?? (given === '-' ? await readText(stdin) : given)
      const { analyst } = await context.database('any')
      // The user of CLICKHOUSE_URL may be the writer.
      const settings = { readonly: '2' }
      const plain = query ? 'TabSeparatedWithNames' : 'TabSeparated'
      const rows = await analyst
        .stream(statement, format ?? (stdout.isTTY ? 'PrettyCompact' : plain), { params, settings })
        .catch((error: Error & { code?: string }) => {
          throw query && isWithoutQueryLog(error) ? new Error(withoutQueryLog) : error
        })
      await pipeline(stdout.isTTY ? terminalChunks(rows) : rows, stdout, { end: false })
    })
}

function uniqueValues(pairs: readonly (readonly [string, string])[]): Record<string, string> {
  const twice = pairs.find(([name], index) => pairs.findIndex(([other]) => other === name) !== index)
  if (twice) throw new Error(`--param ${twice[0]} is given twice`)
  return Object.fromEntries(pairs)
}

/** ClickHouse makes the table when it writes the first block, up to 8 s after its start. */
const isWithoutQueryLog = (error: Error) =>
  isNamed(error, 'UNKNOWN_TABLE') && error.message.includes('system.query_log')

const withoutQueryLog =
  'ClickHouse has no query log yet. The embedded engine has one of statements since its start: run the command again while "npm start" runs; LOG_LEVEL=debug logs the statements of the API, and "explain" prints those of one request'
