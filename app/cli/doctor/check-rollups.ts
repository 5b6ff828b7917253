import { findBlocksInFlight } from '../../../clickhouse/rollups/blocks-in-flight.ts'
import { checkEveryShard } from '../../../clickhouse/rollups/check-every-shard.ts'
import { dayMs } from '../../../schema/durations.ts'
import { type Check, FaultWithFix } from './check.ts'

export const rollups: Check = {
  name: 'rollups',
  fix: 'repeat interrupted imports, or run "rollups rebuild" while no import is running',
  async run({ database }) {
    const shards = (await database()).shards()
    const from = new Date((Math.floor(Date.now() / dayMs) - 1) * dayMs)
    let check = await checkEveryShard(shards, { from })
    // Reports that were stored during the check show as differences.
    if (check.different > 0) check = await checkEveryShard(shards, { from })
    const [first] = check.differences
    if (first) {
      const where = `${first.table} on ${first.day}, ${first.reportType} of tenant ${first.tenantId}`
      const found = `${check.different} of ${check.checked} days since yesterday differ, the first in ${where}`
      const inFlight = await findBlocksInFlight(shards)
      if (inFlight === undefined) throw new Error(found)
      throw new FaultWithFix(
        `${found}; ${inFlight}`,
        'wait until the collector has sent its blocks, which completes the rollups, then run "doctor" again; a rebuild now would count the blocks twice',
      )
    }
    return `all ${check.checked} days since yesterday agree with the reports`
  },
}
