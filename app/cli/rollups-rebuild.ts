import { z } from 'zod'
import { checkRollups } from '../../clickhouse/check-rollups.ts'
import { rebuildRollups } from '../../clickhouse/rebuild-rollups.ts'
import { command } from './command.ts'
import { share, withProgress } from './show-progress.ts'
import { refuseUnfinished } from './unfinished-imports.ts'

/** `rollups rebuild` */
export const rollupsRebuild = command({
  about: 'Refill every rollup from the raw reports, month by month, then check them',
  arguments: {
    table: {
      kind: 'repeated',
      shape: z.array(z.string().regex(/^\w+$/)).optional(),
      hint: 'TABLE',
      about: 'Only this rollup, from its source as that stands; those made from it stay as they are, so name them too',
      takes: 'the name of a table that "rollups check" compares',
    },
    force: {
      kind: 'switch',
      shape: z.boolean().optional(),
      hint: '',
      about: 'Rebuild although an import was cut off; running that import again then counts its reports twice',
      takes: 'no value',
    },
  },
  notes: [
    'Leaves script_versions as it is, which outlives reports.',
    'The API may serve meanwhile: a month is built aside and changes places with the old one in one step.',
    'No import may run meanwhile. Prints {"rebuilt", "checked", "different", "differences"}: partitions refilled,',
    'then what "rollups check" prints. Exits 1 when a day still differs, as it does when an import ran: rebuild again.',
  ],
  examples: ['rollups rebuild', 'rollups rebuild --table reports_per_day_by_issue'],
  async run(values, context) {
    const { reader, writer } = await context.engine()
    if (!values.force) await refuseUnfinished(reader)
    return withProgress(context.stderr, 2, async (update) => {
      const { rebuilt } = await rebuildRollups(writer, {
        tables: values.table,
        onProgress: (done, total, what) => update(share(done, total), `rebuilding ${what}`),
      })
      const check = await checkRollups(writer, {
        onProgress: (done, total, what) => update(1 + share(done, total), `checking ${what}`),
      })
      return { answer: { rebuilt, ...check }, exitCode: check.different > 0 ? 1 : 0 }
    })
  },
})
