/** @module The loops of alerts: one turns changes into alerts and digests, the other sends alerts. */

import { listEnabledRules } from '../../../queries/alerts/rules.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { groupBy } from '../../../schema/rules/group-by.ts'
import type { Config } from '../../config.ts'
import { leaseIds } from '../../program/lease.ts'
import { reasonOf } from '../../program/log-outage.ts'
import { createGuard } from '../fetch/guard.ts'
import { type Passes, underLease } from '../under-lease.ts'
import { createSender } from './deliver/create-sender.ts'
import type { Delivery } from './deliver/deliver-alert.ts'
import { resealDestinations } from './deliver/reseal-destinations.ts'
import { keyRemedy, secretsKeys } from './deliver/secrets-keys.ts'
import type { SendSettings } from './deliver/sender.ts'
import { lastDigestAt, makeDigests } from './watch/make-digests.ts'
import type { SourcesRead } from './watch/sources.ts'
import { watchTenant } from './watch/watch-tenant.ts'

export interface AlertLoop
  extends Omit<Passes, 'leaseId' | 'name' | 'database'>,
    Pick<Delivery, 'now' | 'settings' | 'keys' | 'metrics' | 'cut'> {
  readonly database: Pick<Database, 'read' | 'insert' | 'command'>
  /** Hour of the day in UTC. */
  readonly digestHour: number
}

/** Limit for connecting and for the response. */
const sendTimeoutMs = 10_000

export const alertSettings = (config: Config): Pick<AlertLoop, 'settings' | 'keys' | 'digestHour'> => ({
  settings: sendSettings(config),
  keys: () => secretsKeys(config),
  digestHour: config.DIGEST_HOUR,
})

const sendSettings = ({ OUTBOUND_ALLOWED, SMTP_URL, MAIL_FROM, PUBLIC_URL }: Config): SendSettings => ({
  guard: createGuard(OUTBOUND_ALLOWED),
  timeoutMs: sendTimeoutMs,
  smtpUrl: SMTP_URL,
  mailFrom: MAIL_FROM,
  publicUrl: PUBLIC_URL,
})

/** Detection and sending, so that slow receivers delay no detection. */
export async function runAlerts(loop: AlertLoop): Promise<void> {
  const { pass, settled } = createSender(loop)
  const onHeld = () => loop.metrics.setOldestAlert(0)
  const sending = { ...loop, lookEveryMs: loop.lookEveryMs / 3, leaseId: leaseIds.alerts, name: 'Alerts', onHeld }
  await Promise.all([
    underLease({ ...loop, leaseId: leaseIds.detection, name: 'Detection of changes' }, createDetection(loop)),
    underLease({ ...sending, settled }, pass),
  ])
}

/** State by tenant. */
interface Memory {
  /** Times of the created digests. */
  readonly digests: Map<string, number>
  readonly reads: Map<string, SourcesRead>
}

/** Finds and stores due alerts. */
export function createDetection(
  loop: Pick<AlertLoop, 'database' | 'now' | 'keys' | 'digestHour' | 'stopping' | 'log'>,
) {
  const memory: Memory = { digests: new Map(), reads: new Map() }
  let isResealed = false
  return async (checkLease: () => Promise<void>): Promise<void> => {
    if (!isResealed) await reseal(loop)
    isResealed = true
    await watchTenants(loop, memory, checkLease)
  }
}

async function reseal({ database, keys, log }: Pick<AlertLoop, 'database' | 'keys' | 'log'>): Promise<void> {
  try {
    const { closed, isRotated } = await resealDestinations(database, keys)
    for (const { tenantId, id } of closed) {
      log.error(
        { tenantId, destinationId: id, fix: keyRemedy },
        'Cannot decrypt the address of a destination with SECRETS_KEY',
      )
    }
    if (isRotated) log.info('All addresses are now encrypted with the first key of SECRETS_KEY: remove the others')
  } catch (error) {
    log.error({ reason: reasonOf(error) }, 'Failed to decrypt the addresses of destinations')
  }
}

/** A tenant whose changes cannot be read does not stop those of others. */
async function watchTenants(
  { database, now, digestHour, stopping, log }: Pick<AlertLoop, 'database' | 'now' | 'digestHour' | 'stopping' | 'log'>,
  { digests, reads }: Memory,
  checkLease: () => Promise<void>,
): Promise<void> {
  const rules = groupBy(await database.read(listEnabledRules), ({ tenantId }) => tenantId)
  for (const [tenantId, own] of rules) {
    if (stopping.aborted) return
    const watch = { database, now: now(), checkLease }
    const digestAt = lastDigestAt(watch.now, digestHour)
    try {
      reads.set(tenantId, await watchTenant(watch, tenantId, own, reads.get(tenantId) ?? new Map()))
      if (digests.get(tenantId) !== digestAt.getTime()) await makeDigests(watch, tenantId, { rules: own, at: digestAt })
      digests.set(tenantId, digestAt.getTime())
    } catch (error) {
      log.error({ tenantId, reason: reasonOf(error) }, 'Failed to find changes of a tenant')
      await checkLease()
    }
  }
}
