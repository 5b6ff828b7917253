import { listDestinations, listEnabledRules } from '../../../queries/alerts/rules.ts'
import { findLease } from '../../../queries/tenants/find-lease.ts'
import { minuteMs } from '../../../schema/durations.ts'
import { leaseIds } from '../../program/lease.ts'
import { doesOpen } from '../../worker/alerts/deliver/destination.ts'
import { keyRemedy, secretsKeys } from '../../worker/alerts/deliver/secrets-keys.ts'
import type { Check } from './check.ts'

const silentMinutes = 5

export const worker: Check = {
  name: 'worker',
  fix: 'start a worker as the writer: "security-reporting worker" or "start", or the worker service in compose',
  async run({ config, database }) {
    const { reader, ownsEngine } = await database()
    const nothingRuns = ownsEngine ? 'no program uses this folder; the engine was started for this check' : undefined
    const rules = await reader.read(listEnabledRules)
    if (rules.length === 0) return nothingRuns ?? 'no alert rule needs a worker'
    if (nothingRuns) throw new Error(`${nothingRuns}, so ${rules.length} alert rules send nothing`)
    const [lease] = await reader.read(findLease(leaseIds.alerts, silentMinutes * minuteMs))
    const links = config().PUBLIC_URL ? '' : '; set PUBLIC_URL of the worker for links in messages'
    if (lease?.isHeld) return `${lease.holder} is running ${rules.length} alert rules${links}`
    throw new Error(`no worker has run for ${silentMinutes} minutes, so ${rules.length} alert rules send nothing`)
  },
}

export const destinations: Check = {
  name: 'destinations',
  fix: keyRemedy,
  async run({ config, database }) {
    const stored = await (await database()).reader.read(listDestinations())
    if (stored.length === 0) return 'no address is stored'
    const { CLICKHOUSE_URL, SECRETS_KEY } = config()
    if (CLICKHOUSE_URL && !SECRETS_KEY)
      return "not checked: SECRETS_KEY is not set; run doctor with the worker's SECRETS_KEY"
    const keys = secretsKeys(config())
    const [closed, ...others] = stored.filter((destination) => !doesOpen(destination, keys))
    if (!closed) return `all ${stored.length} addresses can be decrypted`
    throw new Error(
      `${others.length + 1} of ${stored.length} addresses cannot be decrypted, the first of ${closed.id} of tenant ${closed.tenantId}`,
    )
  },
}
