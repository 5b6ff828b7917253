import { listDestinations } from '../../../queries/alerts/list-destinations.ts'
import { listEnabledRules } from '../../../queries/alerts/list-enabled-rules.ts'
import { findLease } from '../../../queries/tenants/find-lease.ts'
import { minuteMs } from '../../../schema/durations.ts'
import { doesOpen } from '../../worker/deliver/destination.ts'
import { keyRemedy, secretsKeys } from '../../worker/deliver/secrets-keys.ts'
import { leaseOfAlerts } from '../../worker/under-lease.ts'
import type { Check } from './check.ts'

const silentMinutes = 5

export const worker: Check = {
  name: 'worker',
  fix: 'start one as the user that writes: "security-reporting worker" or "start", or the service worker of compose',
  async run({ database }) {
    const { reader, ownsEngine } = await database()
    const nothingRuns = ownsEngine ? 'no program runs on this folder; the engine was started for this check' : undefined
    const rules = await reader.read(listEnabledRules)
    if (rules.length === 0) return nothingRuns ?? 'no alert rule needs one'
    if (nothingRuns) throw new Error(`${nothingRuns}, so ${rules.length} alert rules send nothing`)
    const [lease] = await reader.read(findLease(leaseOfAlerts, silentMinutes * minuteMs))
    if (lease?.isHeld) return `${lease.holder} alerts by ${rules.length} rules`
    throw new Error(`none has run for ${silentMinutes} minutes, so ${rules.length} alert rules send nothing`)
  },
}

export const destinations: Check = {
  name: 'destinations',
  fix: keyRemedy,
  async run({ config, database }) {
    const stored = await (await database()).reader.read(listDestinations())
    if (stored.length === 0) return 'none is stored'
    const { CLICKHOUSE_URL, SECRETS_KEY } = config()
    if (CLICKHOUSE_URL && !SECRETS_KEY)
      return 'not checked: SECRETS_KEY is not set here; run it with that of the worker'
    const keys = secretsKeys(config())
    const [closed, ...others] = stored.filter((destination) => !doesOpen(destination, keys))
    if (!closed) return `the addresses of all ${stored.length} open`
    throw new Error(
      `${others.length + 1} of ${stored.length} addresses do not open, the first of ${closed.id} of tenant ${closed.tenantId}`,
    )
  },
}
