import { listEnabledRules } from '../../../queries/alerts/list-enabled-rules.ts'
import { findLease } from '../../../queries/tenants/find-lease.ts'
import { minuteMs } from '../../../schema/durations.ts'
import { leaseOfAlerts } from '../../worker/under-lease.ts'
import type { Check } from './check.ts'

const silentMinutes = 5

export const worker: Check = {
  name: 'worker',
  fix: 'start one as the user that writes: "npm run worker", or the service worker of compose',
  async run({ config, database }) {
    if (config().CLICKHOUSE_URL === undefined) return 'it runs within "start"'
    const { reader } = await database()
    const rules = await reader.read(listEnabledRules)
    if (rules.length === 0) return 'no alert rule needs one'
    const [lease] = await reader.read(findLease(leaseOfAlerts, silentMinutes * minuteMs))
    if (lease?.isHeld) return `${lease.holder} alerts by ${rules.length} rules`
    throw new Error(
      `none has run for ${silentMinutes} minutes, so nobody is told of what ${rules.length} alert rules cover`,
    )
  },
}
