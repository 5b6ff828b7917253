/**
 * @module Share of a site's reports that is stored: all within its budget, and above it about as many as the budget, each
 * with its weight. Budgets are those of this process.
 */

import { LRUCache } from 'lru-cache'
import { minuteMs } from '../../schema/durations.ts'

/** Reports of a type per minute; older ones count less. */
interface Load {
  perMinute: number
  at: number
}

const maxSites = 10_000

/** Eighths of a power of two, rounded up: few distinct rates are stored, and up to 9 % more than the budget. */
const rounded = (share: number): number => 2 ** (Math.ceil(Math.log2(share) * 8) / 8)

/** The budget that is left for each of the busiest types when all others have what they need. */
function fairLoad(loads: readonly number[], budget: number): number {
  let left = budget
  for (const [index, load] of loads.toSorted((a, b) => a - b).entries()) {
    const fair = left / (loads.length - index)
    if (load > fair) return fair
    left -= load
  }
  return Number.POSITIVE_INFINITY
}

export type ReportShares = ReturnType<typeof createReportShares>

/** @param now milliseconds of a clock that never goes back. */
export function createReportShares(now: () => number = () => performance.now()) {
  const sites = new LRUCache<string, Map<string, Load>>({ max: maxSites })

  return {
    /**
     * Share of the reports of a type to store now, (0, 1].
     * @param budget reports per minute of the site.
     * @param reports that come with this call; less than 1 for a type that is sampled anyway.
     */
    take(siteId: string, type: string, budget: number, reports: number): number {
      const at = now()
      const loads = sites.get(siteId) ?? new Map<string, Load>()
      sites.set(siteId, loads)
      const load = loads.get(type) ?? { perMinute: 0, at }
      loads.set(type, load)
      const decayed = (one: Load) => one.perMinute * Math.exp((one.at - at) / minuteMs)
      load.perMinute = decayed(load) + reports
      load.at = at
      const fair =
        load.perMinute <= budget / loads.size ? load.perMinute : fairLoad([...loads.values()].map(decayed), budget)
      return load.perMinute <= fair ? 1 : rounded(fair / load.perMinute)
    },
  }
}
