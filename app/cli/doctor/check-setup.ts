import { onlyRow } from '../../../queries/sql/rows.ts'
import { countSilentSites, listRecentScans } from '../../../queries/tenants/site-setup.ts'
import { dayMs } from '../../../schema/durations.ts'
import { siteSetup } from '../../../schema/setup/site-setup.ts'
import type { Check } from './check.ts'

const silentDays = 3

/** Days of the longest time between two scans of a page, and one more. */
const scannedDays = 8

export const setup: Check = {
  name: 'setup',
  fix: 'run "migrate" as the writer',
  async run({ database }) {
    const { reader } = await database()
    const since = (days: number) => new Date(Date.now() - days * dayMs)
    const silent = onlyRow(await reader.read(countSilentSites(since(silentDays))))
    const scans = await reader.read(listRecentScans(since(scannedDays)))
    const wrong = scans.filter(({ token, url, headers }) =>
      siteSetup({
        token,
        reportUrl: `https://COLLECTOR_URL/r/${token}`,
        page: { url, headers: new Map(Object.entries(headers)) },
        lastReports: new Map(),
      }).some(({ state }) => state === 'wrong'),
    )
    const first = wrong[0] ?? (silent.sites > 0 ? silent : undefined)
    if (!first) return `no site has been silent for ${silentDays} days, and scans found no wrong header`
    return `${silent.sites} sites sent no report for ${silentDays} days, and scans found wrong headers of ${wrong.length} sites: run "sites status --tenant ${first.tenantId} --site ${first.siteId}"`
  },
}
