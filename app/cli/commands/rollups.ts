import { type Command, Option } from '@commander-js/extra-typings'
import { z } from 'zod'
import { findBlocksInFlight } from '../../../clickhouse/rollups/blocks-in-flight.ts'
import { checkEveryShard } from '../../../clickhouse/rollups/check-every-shard.ts'
import { rebuildRollups } from '../../../clickhouse/rollups/rebuild-rollups.ts'
import { unfinishedTenants } from '../../../clickhouse/rollups/unfinished-tenants.ts'
import { holdCollectors } from '../../import/hold.ts'
import { share, withProgress } from '../../program/show-progress.ts'
import { repeatableOption } from '../command/arguments.ts'
import type { Context } from '../command/context.ts'
import { requireTenant } from '../command/require-tenant.ts'
import { anyTenant } from '../command/shared-arguments.ts'
import { subcommand } from '../command/subcommand.ts'

const table = repeatableOption('--table <TABLE>', {
  about: 'Only this rollup, from its current source; rollups derived from it are not rebuilt, so list them too',
  takes: 'a table that "rollups check" compares',
  schema: z.string().regex(/^\w+$/),
})

const force = new Option(
  '--force',
  'Rebuild despite an interrupted import or an unsent block; if it is sent again later, its reports are counted twice',
)

const cutOff = (tenants: readonly string[]) => `An import of tenant ${tenants.join(', ')} is running or was interrupted`

export function addRollups(program: Command, context: Context): void {
  const rollups = subcommand(program, 'rollups', { about: 'Aggregate tables that views maintain from the raw reports' })

  subcommand(rollups, 'check', {
    about: 'Compare every rollup with the result of its view over the raw reports, by tenant, type and UTC day',
    notes: [
      'Prints {"checked", "different", "differences"}: number of days compared, number that differ, and the first 100 of them.',
      'Exits 1 if a day differs. Days with expired reports are skipped, and so are script_versions and issue_first_seen, which outlive reports.',
      'Reports stored during the check can appear as differences: check again when no import is running.',
    ],
    examples: ['rollups check', 'rollups check --tenant ID'],
  })
    .addOption(anyTenant)
    .action(async ({ tenant }) => {
      const { reader, shards } = await context.database()
      if (tenant !== undefined) await requireTenant(reader, tenant)
      const check = await withProgress(context.stderr, 1, (update) =>
        checkEveryShard(shards(), {
          ...(tenant !== undefined && { tenantId: tenant }),
          onProgress: (done, total, note) => update(share(done, total), note),
        }),
      )
      const tenants = check.different > 0 ? await unfinishedTenants(reader) : []
      if (tenants.length > 0) context.log(`${cutOff(tenants)}: run it again to complete the rollups`)
      const inFlight = check.different > 0 ? await findBlocksInFlight(shards()) : undefined
      if (inFlight !== undefined) context.log(`${inFlight}: check again after it is sent, which completes the rollups`)
      context.finish(check, check.different > 0 ? 1 : 0)
    })

  subcommand(rollups, 'rebuild', {
    about: 'Refill every rollup from the raw reports, month by month, then check them',
    notes: [
      'Leaves script_versions and issue_first_seen unchanged, as they outlive reports.',
      'The API can serve requests: each month is built separately and replaces the old one atomically.',
      'No import may be running. Collectors accept posts and store them after the rebuild.',
      'Prints {"rebuilt", "checked", "different", "differences"}: partitions refilled, then the output of "rollups check".',
      'Exits 1 if a day still differs, for example because an import ran: rebuild again.',
    ],
    examples: ['rollups rebuild', 'rollups rebuild --table reports_per_day_by_issue'],
  })
    .addOption(table)
    .addOption(force)
    .action(async ({ table, force }) => {
      const { reader, writer, shards } = await context.database()
      // Rollups count a batch twice that is sent again after a rebuild.
      const tenants = force ? [] : await unfinishedTenants(reader)
      if (tenants.length > 0) {
        throw new Error(
          `${cutOff(tenants)}: let it finish, or run it again, before rebuilding; use --force to rebuild anyway`,
        )
      }
      const { rebuilt, check } = await withProgress(context.stderr, 2, async (update) => {
        const rebuild = () =>
          rebuildRollups(shards(), {
            tables: table,
            onProgress: (done, total, note) => update(share(done, total), `rebuilding ${note}`),
          })
        const onLate = ({ message }: Error) => {
          if (!force) throw new Error(`${message}; use --force to rebuild anyway`)
        }
        const { rebuilt } = await holdCollectors(writer, rebuild, { shards: shards(), log: context.log, onLate })
        const check = await checkEveryShard(shards(), {
          onProgress: (done, total, note) => update(1 + share(done, total), `checking ${note}`),
        })
        return { rebuilt, check }
      })
      context.finish({ rebuilt, ...check }, check.different > 0 ? 1 : 0)
    })
}
