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
  about: 'Value of a {name:Type} parameter in the statement',
  takes: 'NAME=VALUE, such as hours=24',
  schema: z
    .string()
    .regex(/^\w+=/)
    .transform((text) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)] as const),
})

const format = option('--format <FORMAT>', {
  about:
    'Format of the rows (default: PrettyCompact on a terminal, otherwise TabSeparated, with names for a saved query)',
  takes: 'a ClickHouse format such as TSVWithNames, CSV, JSONEachRow or Vertical',
  schema: z.string().regex(/^[A-Za-z][A-Za-z0-9]{0,63}$/),
})

export function addSql(program: Command, context: Context): void {
  subcommand(program, 'sql', {
    about: 'Run a read-only statement or a saved query and print its rows as they arrive',
    notes: [
      'Runs read-only as analyst: no keys or tokens, at most 30 s, 4 GB of memory, and 1,000,000 rows or 1 GB of result. At a limit',
      "the rows printed so far are incomplete. With CLICKHOUSE_URL: that user's permissions, read-only. On a terminal, control",
      'characters are printed as \\x1b. --saved without a name lists the saved queries for on-call. A statement runs on one thread,',
      'so that dashboards stay quick; "SETTINGS max_threads = 4" at its end gives it four.',
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
    .option('--saved', 'STATEMENT is the name of a saved query; without a name, list all')
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
  if (twice) throw new Error(`--param ${twice[0]} is given more than once`)
  return Object.fromEntries(pairs)
}

/** ClickHouse creates the table when it writes the first block, up to 8 s after its start. */
const isWithoutQueryLog = (error: Error) =>
  isNamed(error, 'UNKNOWN_TABLE') && error.message.includes('system.query_log')

const withoutQueryLog =
  'ClickHouse has no query log yet. The query log of the embedded engine begins at its start: run the command again while "npm start" runs. LOG_LEVEL=debug logs the statements of the API, and "explain" prints the statements of one request'
