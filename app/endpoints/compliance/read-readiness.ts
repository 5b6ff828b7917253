/** @module Evidence and verdicts of a site, current or as recorded at a given time. */

import { listCoveringRules, listDestinationOutcomes } from '../../../queries/alerts/destination-outcomes.ts'
import { listPageCoverage } from '../../../queries/scans/counted-scans.ts'
import { findAnyDecision } from '../../../queries/scripts/decisions.ts'
import type { Reader } from '../../../queries/sql/query.ts'
import { dayMs } from '../../../schema/durations.ts'
import { changeDays, scriptEvent, watchedEvents } from '../../../schema/pci.ts'
import type { Capability } from '../../../schema/plans.ts'
import type { PciReadiness } from '../../../schema/responses/pci.ts'
import type { RecordedDecision } from '../../../schema/responses/script-decision.ts'
import { judgeChanges, judgeScripts } from '../../../schema/rules/pci/pci-verdict.ts'
import { longestScanGap } from '../../../schema/rules/pci/scan-gap.ts'
import type { TimeRange } from '../../../schema/rules/time/time-range.ts'
import type { Caller } from '../../pipeline/authenticator.ts'
import { type Inventory, readInventory, readPaymentPages, uninventoriedScripts } from '../scripts/read-inventory.ts'
import { changeEvidence, pageEvidence, readChanges, readDeliveries, readScriptEvidence } from './change-evidence.ts'
import { readScannedIds, type ScriptEvidence, scriptEvidence } from './script-evidence.ts'

const emptyInventory: Inventory = {
  entries: [],
  truncated: false,
  reporting: false,
  uninventoried: [],
  uninventoriedCounts: [],
  paymentPages: [],
}

interface ReadinessRequest {
  readonly tenant: Caller['tenant']
  readonly siteId: string
  /** Window of scripts; it ends at the time of the verdict. */
  readonly window: TimeRange
  /**
   * Window of scans if retention has removed reports of it: a missing violation then does not prove that scripts are
   * protected.
   */
  readonly scanWindow?: TimeRange
  /** Milliseconds since the Unix epoch. */
  readonly seenSince: number
  /** Versions and captures of scripts. */
  readonly hashes: boolean
}

export const hasCapability = ({ entitlements }: Caller['tenant'], capability: Capability): boolean =>
  entitlements.capabilities.includes(capability)

export async function readReadiness(reader: Reader, { tenant, siteId, ...extent }: ReadinessRequest) {
  const { read } = reader
  const [onPlan, rules, pages] = await Promise.all([
    hasCapability(tenant, 'pages.payment') || read(findAnyDecision(tenant.id)).then((found) => found.length > 0),
    read(listCoveringRules({ tenantId: tenant.id, siteId })),
    readPaymentPages(read, { tenant, siteId }),
  ])
  const site = { tenantId: tenant.id, siteId, pages, now: new Date(extent.window.to) }
  const hasScripts = hasCapability(tenant, 'scripts.authorization')
  const events = watchedEvents.filter((event) => hasScripts || event !== scriptEvent)
  const covering = rules.filter(({ eventType }) => events.some((event) => event === eventType))
  const destinationIds = [...new Set(covering.map(({ destinationId }) => destinationId))]
  const since = new Date(site.now.getTime() - changeDays * dayMs)
  const deliveries = readDeliveries(reader, site)
  const [inventory, watchedPages, foundChanges, scriptChanges, coverage, outcomes] = await Promise.all([
    onPlan && pages.length > 0
      ? readInventory(read, { tenant, siteId, paymentPages: pages, ...extent })
      : emptyInventory,
    pageEvidence(reader, site, hasCapability(tenant, 'pages.scans')),
    deliveries.then((some) => readChanges(reader, site, some)),
    deliveries.then((some) => readScriptEvidence(reader, site, some)),
    pages.length > 0 ? read(listPageCoverage(site, since)) : [],
    destinationIds.length > 0 ? read(listDestinationOutcomes(tenant.id, destinationIds)) : [],
  ])
  const coverageOf = new Map(coverage.map((page) => [page.pageId, page]))
  const coveredPages = watchedPages.map((page) => {
    const scanned = coverageOf.get(page.id)
    return {
      ...page,
      unavailable: scanned?.unavailable ?? false,
      inlineNotComparable: scanned?.inlineNotComparable ?? false,
      longestScanGapMs: scanned ? longestScanGap(scanned, since.getTime()) : 0,
    }
  })
  const outcomeOf = new Map(outcomes.map((one) => [one.id, one]))
  const destinations = destinationIds.map((id) => outcomeOf.get(id) ?? { id, name: null, outcome: null, at: null })
  const [found, changes] = [scriptEvidence(inventory), changeEvidence(foundChanges)]
  const scripts = extent.scanWindow ? found.map(withoutProtection) : found
  const addedAt = new Map(
    pages.map(({ id }) => {
      const { addedAt, countedAt } = coverageOf.get(id) ?? { addedAt: 0, countedAt: [] }
      return [id, Math.min(addedAt, countedAt[0] ?? addedAt)]
    }),
  )
  const scannedIds = await readScannedIds(read, site, { entries: inventory.entries, addedAt })
  const uninventoriedUnprotected = uninventoriedScripts(inventory, true).total
  const today = site.now.toISOString().slice(0, 10)
  const isOverdue = ({ reviewBy }: RecordedDecision) => reviewBy !== null && reviewBy < today
  const overdue = new Set(
    inventory.entries.filter(({ decisions }) => decisions.slice(-1).some(isOverdue)).map(({ script }) => script.id),
  )
  const requirements: PciReadiness['requirements'] = [
    judgeScripts({
      paymentPages: pages.length,
      onPlan,
      truncated: inventory.truncated,
      scripts: scripts.map((script) => ({
        ...script,
        coverage: script.coverage.state,
        reviewOverdue: overdue.has(script.id),
        isScanned: scannedIds.has(script.id),
      })),
      uninventoriedUnprotected,
      measured: inventory.reporting,
    }),
    judgeChanges({
      now: site.now,
      pages: coveredPages,
      changes: foundChanges.map(({ alerts, ...change }) => ({ ...change, alerted: alerts.length > 0 })),
      scriptChanges: scriptChanges.map(({ alertIds, ...change }) => ({ ...change, alerted: alertIds.length > 0 })),
      events,
      alertedEvents: covering.map(({ eventType }) => eventType),
      destinations,
    }),
  ]
  const evidence = {
    scripts,
    scannedIds,
    uninventoriedUnprotected,
    pages,
    watchedPages,
    foundChanges,
    scriptChanges,
    changes,
  }
  return { requirements, inventory, hasScripts, coveredPages, destinations, deliveries: await deliveries, ...evidence }
}

const unknownCoverage = { state: 'unknown', decidedBy: null, lastUnprotectedAt: null, mode: null } as const

const withoutProtection = (script: ScriptEvidence): ScriptEvidence =>
  script.coverage.state === 'protected' ? { ...script, coverage: unknownCoverage } : script
