import type { Command } from '@commander-js/extra-typings'
import packageJson from '../../package.json' with { type: 'json' }
import type { Context } from './command/context.ts'
import { StrictCommand } from './command/strict-command.ts'
import { withHelp } from './command/subcommand.ts'
import { addAlerts } from './commands/alerts.ts'
import { addBackup } from './commands/backup.ts'
import { addBlocks } from './commands/blocks.ts'
import { addCluster } from './commands/cluster.ts'
import { addCompletion } from './commands/completion.ts'
import { addCsp } from './commands/csp.ts'
import { addDestinations } from './commands/destinations.ts'
import { addDoctor } from './commands/doctor.ts'
import { addExplain } from './commands/explain.ts'
import { addExport } from './commands/export.ts'
import { addImport } from './commands/import.ts'
import { addKeys } from './commands/keys.ts'
import { addMigrate } from './commands/migrate.ts'
import { addPages } from './commands/pages.ts'
import { addPci } from './commands/pci.ts'
import { addPrograms } from './commands/programs.ts'
import { addReports } from './commands/reports.ts'
import { addRestore } from './commands/restore.ts'
import { addRollups } from './commands/rollups.ts'
import { addScripts } from './commands/scripts.ts'
import { addSites } from './commands/sites.ts'
import { addSources } from './commands/sources.ts'
import { addSql } from './commands/sql.ts'
import { addTenants } from './commands/tenants.ts'

const commands: readonly ((program: Command, context: Context) => void)[] = [
  addPrograms,
  addTenants,
  addSites,
  addKeys,
  addPages,
  addScripts,
  addSources,
  addDestinations,
  addAlerts,
  addPci,
  addImport,
  addExport,
  addReports,
  addSql,
  addCsp,
  addExplain,
  addRollups,
  addBlocks,
  addMigrate,
  addBackup,
  addRestore,
  addCluster,
  addDoctor,
  addCompletion,
]

const help = {
  about: 'The command line of the Security Reporting API',
  notes: [
    'In a checkout, run it as "npm run --silent cli --"; if the package is installed, as "npx security-reporting".',
    '"start", "serve", "collect" and "worker" run until a signal ends them. Other commands print one JSON object to stdout ("sql" prints',
    'rows, "explain" SQL, "doctor" lines), and progress and messages to stderr.',
    'Exit codes: 0 done; 1 some lines were rejected, rollups differ, or a check failed; 2 failed or incomplete: a stopped or failed',
    'import keeps the lines it stored; run it again.',
    'Commands use the server at CLICKHOUSE_URL, as a user that can write. Without it they use the embedded engine of DATA_DIR (.data):',
    'the engine running on CLICKHOUSE_PORT (8123), or an engine that the command starts and stops.',
  ],
}

/** The program for one run: commander stores parsed values in it. */
export function createProgram(context: Context): Command {
  const program = withHelp(new StrictCommand('security-reporting'), help)
    .version(packageJson.version, '--version', 'Print the version')
    .exitOverride()
    .helpCommand(false)
    .configureHelp({
      optionDescription: ({ description, mandatory }) => `${description}${mandatory ? ' (required)' : ''}`,
    })
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: (text) => context.stderr.write(text),
      getOutHelpWidth: () => context.stdout.columns || 120,
      getErrHelpWidth: () => context.stderr.columns || 120,
    })
  for (const add of commands) add(program, context)
  return program
}
