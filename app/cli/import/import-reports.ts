import { type Command, Option } from '@commander-js/extra-typings'
import { untilInStep } from '../../../clickhouse/cluster/in-step.ts'
import type { Cluster } from '../../../clickhouse/cluster/open-cluster.ts'
import { shardOfTenant } from '../../../clickhouse/cluster/tenant-shards.ts'
import { createBootReader, isSameBoot } from '../../../clickhouse/read-boot.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { entitlements } from '../../../schema/plans.ts'
import type { Boots } from '../../import/reports/clickhouse-import-log.ts'
import { importFiles } from '../../import/reports/import-files.ts'
import type { ImportTarget } from '../../import/reports/import-into.ts'
import type { Context } from '../command/context.ts'
import { requireSites, requireTenant } from '../command/require-tenant.ts'
import { file, siteOfLines, tenant } from '../command/shared-arguments.ts'
import { subcommand } from '../command/subcommand.ts'
import { rejectedNote, runImport } from './run-import.ts'

const help = {
  notes: [
    'A line is {"receivedAt", "contentType", "userAgent", "site", "sampleRate", "body"}, or only the body, or a line from',
    'Vector, Fluent Bit or go-csp-collector. "receivedAt" is a time such as 2026-01-31T12:00:00.000Z, or seconds or',
    'milliseconds since 1970 (default: now). A time more than a day in the future is rejected.',
    'A line has at most 2 MB and 10,000 reports. Longer lines are rejected; for a line above 2 MB the file of rejected lines has',
    'only its number. After adding a missing host to a site, import the file of rejected lines, not the original file.',
    'Prints {"posts", "reports", "stored", "expired", "skipped", "unknownMembers", "rejected"}. "unknownMembers" counts',
    'report members that are not stored, such as "crash.crash_report_api". "stored" counts accepted reports, including reports',
    'stored before. "expired" counts reports older than the tenant\'s retention, which are not stored: to store them, raise the',
    'retention and import the file again. "removed" counts expired reports that were stored under an earlier, shorter retention:',
    'they can be stored only for a new tenant. "restored" counts reports that an earlier run started to store and ClickHouse lost,',
    'for example after a power cut.',
    ...rejectedNote,
    'Only one import of reports runs per tenant: another waits, and takes over 30 s after the first one dies.',
    'Ctrl-C stores the lines read so far and stops. Run a stopped or killed import again to continue: no report is lost or',
    'stored twice.',
    '',
    'A pipe and --follow store lines within 2 s, or 7 s while more lines arrive; other imports of the tenant can run in between.',
    '--follow reads FILE from its start, waits for the rest of an incomplete line, and starts again at the beginning if FILE is',
    'replaced or truncated. Ctrl-C stores the lines read so far and exits with 0. Run again, it skips stored lines. If FILE was',
    'rotated while the import was stopped, import the rotated file by its new name. Lines need a time: a file with the same lines',
    'as an earlier file counts as a repeat.',
  ],
  examples: [
    'import reports --tenant ID posts.ndjson',
    'import reports --tenant ID --follow posts.ndjson',
    'import reports --tenant ID - < posts.ndjson',
  ],
}

const noWait = new Option('--no-wait', 'Fail at once if another import of the tenant runs')

const followFlag = new Option('--follow', 'Keep reading FILE as it grows or is rotated, until Ctrl-C')

/** Rollups may still count removed reports, so they cannot be stored again for the tenant. */
const removedNote = (count: number) =>
  `${count} reports were stored before and removed by a shorter retention: import the file for a new tenant to read them`

export function addImportReports(group: Command, context: Context): void {
  subcommand(group, 'reports', { about: 'Import reports that browsers posted, one JSON object per line', ...help })
    .addOption(tenant)
    .addOption(siteOfLines(" (default: the site with the host of the report's URL)"))
    .addArgument(file)
    .addOption(noWait)
    .addOption(followFlag)
    .action(async (path, { tenant: tenantId, site: siteId, wait, follow }) =>
      runImport(context, { path, follow }, async ({ reader, writer, cluster }, run, { signal, isLive }) =>
        importFiles({
          database: writer,
          tenantId,
          siteId,
          signal,
          isLive,
          run,
          target: cluster ? await shardTarget(cluster, tenantId) : { boots: bootsOf(writer) },
          readTenant: () => readTenant(reader, tenantId, siteId),
          onWait: (holder, kind) => announceWait(context, wait, `${kind} of tenant ${tenantId} by ${holder}`),
          onRemoved: (count) => context.log(removedNote(count)),
        }),
      ),
    )
}

async function shardTarget(cluster: Cluster, tenantId: string): Promise<ImportTarget> {
  const number = await shardOfTenant(cluster, tenantId)
  const shard = cluster.shards.find((one) => one.number === number)
  return {
    ...(shard && { shard: shard.database }),
    untilInStep: async (signal) => untilInStep(cluster, await shardOfTenant(cluster, tenantId), signal),
  }
}

function bootsOf(database: Database): Boots {
  const readBoot = createBootReader(database, () => {})
  // Ctrl-C ends no write.
  const { signal } = new AbortController()
  return {
    isSame: isSameBoot,
    read: () =>
      readBoot(signal).catch((error: Error) => {
        // ClickHouse does not know it immediately after its start.
        throw Object.assign(error, { code: 'upstream_unavailable' })
      }),
  }
}

function announceWait(context: Context, mayWait: boolean, other: string): void {
  if (!mayWait) throw new Error(`The ${other} is running; to wait for it, omit --no-wait`)
  context.log(`Waiting for the ${other}`)
}

async function readTenant(reader: Database, tenantId: string, siteId: string | undefined) {
  const { plan, overrides } = await requireTenant(reader, tenantId)
  const sites = await requireSites(reader, tenantId, siteId)
  if (sites.length === 0) throw new Error('The tenant has no site yet: create one with "sites create"')
  return { sites, retentionDays: entitlements(plan, overrides).retentionDays }
}
