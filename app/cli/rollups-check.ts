import { checkRollups } from '../../clickhouse/check-rollups.ts'
import { anyTenant } from './argument-shapes.ts'
import { command } from './command.ts'
import { requireTenant } from './require-tenant.ts'
import { share, withProgress } from './show-progress.ts'
import { warnOfUnfinished } from './unfinished-imports.ts'

/** `rollups check` */
export const rollupsCheck = command({
  about: 'Compare every rollup with what its view makes of the raw reports, by tenant, type and UTC day',
  arguments: { tenant: anyTenant },
  notes: [
    'Prints {"checked", "different", "differences"}: days compared, how many differ, and the first 100 of those.',
    'Exits 1 when a day differs. Days that hold expired reports are left out, and script_versions, which outlives them.',
    'Reports that are stored during the check can show as differences: check again when no import runs.',
  ],
  examples: ['rollups check', 'rollups check --tenant ID'],
  async run(values, context) {
    const { reader, writer } = await context.engine()
    if (values.tenant !== undefined) await requireTenant(reader, values.tenant)
    const check = await withProgress(context.stderr, 1, (update) =>
      checkRollups(writer, {
        ...(values.tenant !== undefined && { tenantId: values.tenant }),
        onProgress: (done, total, what) => update(share(done, total), what),
      }),
    )
    if (check.different > 0) await warnOfUnfinished(context, reader)
    return { answer: check, exitCode: check.different > 0 ? 1 : 0 }
  },
})
