import { type LostPart, listLostParts } from '../../../queries/tenants/imports.ts'
import { dayMs } from '../../../schema/durations.ts'
import { groupBy } from '../../../schema/rules/group-by.ts'
import { withoutDeletedSites } from '../../import/reports/without-deleted-sites.ts'
import type { Check } from './check.ts'

/** Days of the import log that are checked. */
const checkedDays = 7
const mostNamed = 5

export const imports: Check = {
  name: 'imports',
  fix: 'run the same "import reports" command again for each file imported at these times: it stores exactly the lost reports and recounts their rollups',
  async run({ database }) {
    const { reader, shards } = await database()
    const since = new Date(Date.now() - checkedDays * dayMs)
    const ofShards = await Promise.all(shards().map((shard) => shard.read(listLostParts(since))))
    const lost = await withoutDeletedSites(reader, ofShards.flat())
    if (lost.length === 0) return `every report in the import log of the last ${checkedDays} days is stored`
    const batches = [...groupBy(lost, ({ tenantId, token }) => `${tenantId} ${token}`).values()].map(describeBatch)
    const others = batches.length > mostNamed ? [`${batches.length - mostNamed} other batches`] : []
    throw new Error(
      `reports in the import log are missing, for example after a power cut: ${[...batches.slice(0, mostNamed), ...others].join('; ')}`,
    )
  },
}

function describeBatch(parts: readonly LostPart[]): string {
  const [{ token, tenantId, doneAt }] = parts as [LostPart]
  const reports = parts.reduce((sum, part) => sum + part.reports, 0)
  const latestAt = Math.max(...parts.map((part) => part.latestAt))
  const [imported, received] = [doneAt, latestAt].map((time) => new Date(time).toISOString())
  return `${reports} of the batch ${token} of tenant ${tenantId}, stored at ${imported}, received up to ${received}`
}
