import { type Command, Option } from '@commander-js/extra-typings'
import { z } from 'zod'
import { findBlocksInFlight } from '../../../clickhouse/rollups/blocks-in-flight.ts'
import { checkEveryShard } from '../../../clickhouse/rollups/check-every-shard.ts'
import { rebuildRollups } from '../../../clickhouse/rollups/rebuild-rollups.ts'
import { unfinishedTenants } from '../../../clickhouse/rollups/unfinished-tenants.ts'
import { repeatableOption } from '../command/arguments.ts'
import type { Context } from '../command/context.ts'
import { requireTenant } from '../command/require-tenant.ts'
import { anyTenant } from '../command/shared-arguments.ts'
import { share, withProgress } from '../command/show-progress.ts'
import { subcommand } from '../command/subcommand.ts'

const table = repeatableOption('--table <TABLE>', {
  about: 'Only this rollup, from its source as that is now; those made from it stay as they are, so name them too',
  takes: 'the name of a table that "rollups check" compares',
  schema: z.string().regex(/^\w+$/),
})

const force = new Option(
  '--force',
  'Rebuild although an import was cut off or a block is on its way; sent again afterwards, its reports are counted twice',
)

const cutOff = (tenants: readonly string[]) => `An import of tenant ${tenants.join(', ')} is running or was cut off`

export function addRollups(program: Command, context: Context): void {
  const rollups = subcommand(program, 'rollups', { about: 'The tables that views keep of the raw reports' })

  subcommand(rollups, 'check', {
    about: 'Compare every rollup with the result of its view over the raw reports, by tenant, type and UTC day',
    notes: [
      'Prints {"checked", "different", "differences"}: days compared, how many differ, and the first 100 of those.',
      'Exits 1 when a day differs. Days that hold expired reports are left out, and script_versions and issue_first_seen, which outlive them.',
      'Reports that are stored during the check can show as differences: check again when no import runs.',
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
      if (tenants.length > 0) context.log(`${cutOff(tenants)}: run it again, which completes the rollups`)
      const inFlight = check.different > 0 ? await findBlocksInFlight(shards()) : undefined
      if (inFlight !== undefined) context.log(`${inFlight}: check again when it is sent, which completes the rollups`)
      context.finish(check, check.different > 0 ? 1 : 0)
    })

  subcommand(rollups, 'rebuild', {
    about: 'Refill every rollup from the raw reports, month by month, then check them',
    notes: [
      'Leaves script_versions and issue_first_seen as they are, which outlive reports.',
      'The API may serve meanwhile: a month is built aside and changes places with the old one in one step.',
      'No import and no collector may run meanwhile: a block that is sent again after a rebuild is counted twice.',
      'Prints {"rebuilt", "checked", "different", "differences"}: partitions refilled, then what "rollups check" prints.',
      'Exits 1 when a day still differs, as it does when an import ran: rebuild again.',
    ],
    examples: ['rollups rebuild', 'rollups rebuild --table reports_per_day_by_issue'],
  })
    .addOption(table)
    .addOption(force)
    .action(async ({ table, force }) => {
      const { reader, shards } = await context.database()
      // Rollups count a batch twice that is sent again after a rebuild.
      const tenants = force ? [] : await unfinishedTenants(reader)
      if (tenants.length > 0) {
        throw new Error(
          `${cutOff(tenants)}: let it end, or run it again, before rebuilding; --force rebuilds all the same`,
        )
      }
      const inFlight = force ? undefined : await findBlocksInFlight(shards())
      if (inFlight !== undefined) {
        throw new Error(
          `${inFlight}: stop the collector when its folder has no block, then rebuild; --force rebuilds all the same`,
        )
      }
      const { rebuilt, check } = await withProgress(context.stderr, 2, async (update) => {
        const { rebuilt } = await rebuildRollups(shards(), {
          tables: table,
          onProgress: (done, total, note) => update(share(done, total), `rebuilding ${note}`),
        })
        const check = await checkEveryShard(shards(), {
          onProgress: (done, total, note) => update(1 + share(done, total), `checking ${note}`),
        })
        return { rebuilt, check }
      })
      context.finish({ rebuilt, ...check }, check.different > 0 ? 1 : 0)
    })
}
