import type { CommandGroup } from './command.ts'
import { importReportsCommand } from './import-reports.ts'
import { keysCreate } from './keys-create.ts'
import { keysList } from './keys-list.ts'
import { keysRevoke } from './keys-revoke.ts'
import { migrateDatabase } from './migrate-database.ts'
import { recordCommands } from './record-commands.ts'
import { rollupsCheck } from './rollups-check.ts'
import { rollupsRebuild } from './rollups-rebuild.ts'
import { runSql } from './run-sql.ts'
import { sitesCreate } from './sites-create.ts'
import { tenantsCreate } from './tenants-create.ts'

/** Every command, by the words that call it. */
export const allCommands: CommandGroup = {
  about: 'The command line of the Security Reporting API',
  notes: [
    'A command prints one JSON object on stdout, "sql" its answer, and progress and messages on stderr.',
    'Exit codes: 0 done; 1 some lines were rejected, or rollups differ; 2 nothing was done, or not all of it: an import',
    'that was stopped or failed keeps what it stored, and is run again.',
    'It works on CLICKHOUSE_URL, as a user that may write; else on the embedded engine of DATA_DIR (.data), the one',
    'that runs on CLICKHOUSE_PORT (8123), or one that it starts and stops itself.',
  ],
  commands: {
    tenants: { about: 'Tenants', commands: { create: tenantsCreate } },
    sites: { about: 'Sites of a tenant', commands: { create: sitesCreate } },
    keys: { about: 'API keys of a tenant', commands: { create: keysCreate, list: keysList, revoke: keysRevoke } },
    import: { about: 'Put data in', commands: { reports: importReportsCommand, ...recordCommands } },
    sql: runSql,
    rollups: {
      about: 'The tables that views keep of the raw reports',
      commands: { check: rollupsCheck, rebuild: rollupsRebuild },
    },
    migrate: migrateDatabase,
  },
}
