import { type Command, Option } from '@commander-js/extra-typings'
import { explainError } from '../../program/explain-error.ts'
import { settingsTable } from '../../settings.ts'
import type { Context } from '../command/context.ts'
import { subcommand } from '../command/subcommand.ts'
import { terminalText } from '../command/terminal-text.ts'
import { type Check, FaultWithFix } from '../doctor/check.ts'
import { blocks } from '../doctor/check-blocks.ts'
import { clickHouse, disk, migrations, retention, users } from '../doctor/check-database.ts'
import { imports } from '../doctor/check-imports.ts'
import { parts } from '../doctor/check-parts.ts'
import { clocks, node, redis, settings } from '../doctor/check-process.ts'
import { inserts, quorums, replicas } from '../doctor/check-replicas.ts'
import { rollups } from '../doctor/check-rollups.ts'
import { setup } from '../doctor/check-setup.ts'
import { sqlUsers } from '../doctor/check-sql-users.ts'
import { urls } from '../doctor/check-urls.ts'
import { destinations, worker } from '../doctor/check-worker.ts'

/** Order matters: a check relies on the previous checks. The slowest is last. */
const checks: readonly Check[] = [
  node,
  settings,
  clickHouse,
  migrations,
  users,
  sqlUsers,
  retention,
  disk,
  replicas,
  quorums,
  inserts,
  imports,
  parts,
  redis,
  clocks,
  blocks,
  destinations,
  worker,
  urls,
  setup,
  rollups,
]

const json = new Option('--json', 'Print one JSON object instead of one line per check')

const settingsFlag = new Option('--settings', 'Print a table of all environment variables instead').conflicts('json')

export function addDoctor(program: Command, context: Context): void {
  subcommand(program, 'doctor', {
    about: 'Check the installation, one line per check; stop at the first failure and print how to fix it',
    notes: [
      `Checks ${checks.map(({ name }) => name).join(', ')}.`,
      'Exits 1 if a check fails. With --json it prints {"ok", "checks": [{"check", "ok", "found", "fix"}]}; failed checks have "fix".',
      "It checks the user in CLICKHOUSE_URL: run it with the API's URL, and again with the collector's.",
    ],
    examples: ['doctor', 'doctor --json', 'doctor --settings'],
  })
    .addOption(json)
    .addOption(settingsFlag)
    .action(async ({ json, settings }) => {
      if (settings) {
        context.stdout.write(settingsTable())
        return context.finish(undefined, 0)
      }
      const results = []
      const installation = { config: context.config, database: () => context.database('as it is') }
      for (const check of checks) {
        const result = await check.run(installation).then(
          (found) => ({ check: check.name, ok: true, found }),
          (error: unknown) => {
            const { fix } = error instanceof FaultWithFix ? error : check
            return { check: check.name, ok: false, found: explainError(error), fix }
          },
        )
        results.push(result)
        if (!json) context.stdout.write(`${terminalText(lineOf(result)).replaceAll('\n', ' ')}\n`)
        if (!result.ok) break
      }
      const ok = results.every((result) => result.ok)
      context.finish(json ? { ok, checks: results } : undefined, ok ? 0 : 1)
    })
}

const lineOf = ({ check, ok, found, fix }: { check: string; ok: boolean; found: string; fix?: string }) =>
  ok ? `ok    ${check}: ${found}` : `FAIL  ${check}: ${found}. Fix: ${fix}`
