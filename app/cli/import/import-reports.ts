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
    'A line is {"receivedAt", "contentType", "userAgent", "site", "sampleRate", "body"}, or the body alone, or a line of',
    'Vector, Fluent Bit or go-csp-collector. "receivedAt" is a time such as 2026-01-31T12:00:00.000Z, or seconds or',
    'milliseconds since 1970; reports of a line without it count as received now.',
    'A line has up to 2 MB and 10,000 reports: a longer one is rejected, and the file of rejected lines has the number of',
    'one above 2 MB alone. A "receivedAt" more than a day ahead of now is rejected.',
    'After a missing host has a site, import the file of rejected lines: the file that was imported is not read anew for it.',
    'Prints {"posts", "reports", "stored", "expired", "skipped", "unknownMembers", "rejected"}: "unknownMembers" counts the',
    'members of reports that nothing stores, such as "crash.crash_report_api"; "stored" counts the reports accepted,',
    'also those that were there already, "expired" those received before the tenant’s retention, which are not stored:',
    'after it was raised, import the file again. "removed" counts those of "expired" that were stored under a shorter',
    'retention, which ended: they can be stored for a new tenant only. "restored" counts those of "stored" that an earlier',
    'run had begun to store and ClickHouse lacked, as after a power cut.',
    ...rejectedNote,
    'One import of reports a tenant runs at a time: another waits for it, and takes over 30 s after it died.',
    'Ctrl-C stores what was read and stops. An import that was stopped or killed and is run again goes on where it',
    'was: no report is stored twice, and none is lost.',
    '',
    'A pipe and --follow store lines within 2 s, or 7 s while lines keep coming, and other imports of the tenant run between.',
    '--follow reads FILE from its start, waits for the rest of a half line, and reads a file that replaces it, or FILE again',
    'where it was truncated. Ctrl-C stores what was read, and the exit code is 0. Run again, it passes over the lines that are',
    'stored. A file that was rotated while it did not run is imported by its new name. Lines need a time: a file of the same',
    'lines as an earlier one is a repeat.',
  ],
  examples: [
    'import reports --tenant ID posts.ndjson',
    'import reports --tenant ID --follow posts.ndjson',
    'import reports --tenant ID - < posts.ndjson',
  ],
}

const noWait = new Option('--no-wait', 'Fail at once where another import of the tenant runs')

const followFlag = new Option('--follow', 'Read on at the end of FILE, also after it was rotated, until Ctrl-C')

/** Rollups can count removed reports still, so that they cannot be stored again beside them. */
const removedNote = (count: number) =>
  `${count} reports were stored under a shorter retention and removed when it ended: import the file for a new tenant to read them`

export function addImportReports(group: Command, context: Context): void {
  subcommand(group, 'reports', { about: 'Store the reports of browser POSTs, one JSON line each', ...help })
    .addOption(tenant)
    .addOption(siteOfLines(" (default: the site that has the host of the report's URL)"))
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
          onWait: (holder) => announceWait(context, wait, `another import of tenant ${tenantId}, ${holder}`),
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
        // ClickHouse that has just started does not know it yet.
        throw Object.assign(error, { code: 'upstream_unavailable' })
      }),
  }
}

function announceWait(context: Context, mayWait: boolean, other: string): void {
  if (!mayWait) throw new Error(`There is ${other}; without --no-wait this one waits for it`)
  context.log(`Waiting for ${other}`)
}

async function readTenant(reader: Database, tenantId: string, siteId: string | undefined) {
  const { plan, overrides } = await requireTenant(reader, tenantId)
  const sites = await requireSites(reader, tenantId, siteId)
  if (sites.length === 0) throw new Error('The tenant has no site yet: make one with "sites create"')
  return { sites, retentionDays: entitlements(plan, overrides).retentionDays }
}
