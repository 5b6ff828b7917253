/** @module Reads a site's script inventory, or one script of it. */

import { listMonitoredPages } from '../../../queries/pages/monitored-pages.ts'
import type { PaymentActivity } from '../../../queries/scripts/activity.ts'
import { libraryId } from '../../../queries/scripts/libraries.ts'
import type { InventoryFilter } from '../../../queries/scripts/script-inventory.ts'
import { findScriptUrl } from '../../../queries/scripts/scripts.ts'
import type { ScriptViolation, UninventoriedCount } from '../../../queries/scripts/violations.ts'
import type { Read } from '../../../queries/sql/query.ts'
import type { PageRecord } from '../../../schema/responses/monitored-page.ts'
import type { Script } from '../../../schema/responses/script.ts'
import type { RecordedDecision } from '../../../schema/responses/script-decision.ts'
import { groupBy } from '../../../schema/rules/group-by.ts'
import {
  assembleScript,
  type InventoriedScript,
  type InventoryFacts,
  type ScriptFacts,
} from '../../../schema/rules/scripts/assemble-script.ts'
import { scriptId } from '../../../schema/rules/scripts/script-id.ts'
import type { TimeRange } from '../../../schema/rules/time/time-range.ts'
import type { ScriptWitness } from '../../../schema/scripts.ts'
import type { Caller } from '../../pipeline/authenticator.ts'
import { latestFirst, timePosition } from '../../pipeline/time-position.ts'
import { type InventoryRows, readInventoryRows } from './inventory-rows.ts'

/** Scripts that were never seen come last. */
export const inventoryPosition = timePosition('lastSeenAt')

export const compareInInventory = latestFirst('lastSeenAt')

export interface InventoryRequest {
  readonly tenant: Caller['tenant']
  readonly siteId: string
  readonly window: TimeRange
  /** Window of scans; `window` by default. */
  readonly scanWindow?: TimeRange
  /** Milliseconds since the Unix epoch; without it, every script is listed. */
  readonly seenSince?: number
  readonly paymentPages?: readonly PageRecord[]
  /** True by default. */
  readonly hashes?: boolean
}

export interface InventoryEntry {
  readonly script: Script
  /** Oldest first. */
  readonly decisions: RecordedDecision[]
  /** Last report in the window by payment page id, in milliseconds since the Unix epoch. */
  readonly lastOnPayment: ReadonlyMap<string, number>
  /** Versions that the current authorization pins. */
  readonly pinnedHashes: readonly string[]
  /** The tags in the latest scan of each payment page have integrity metadata. */
  readonly hasIntegrity: boolean
}

export interface Inventory {
  /** Entries in the order of `compareInInventory`. */
  readonly entries: readonly InventoryEntry[]
  readonly truncated: boolean
  readonly reporting: boolean
  /** Unprotected scripts that the inventory lacks, latest first: at most 1,000, payment pages preferred. */
  readonly uninventoried: readonly ScriptViolation[]
  /** Counts of all of them. */
  readonly uninventoriedCounts: readonly UninventoriedCount[]
  readonly paymentPages: readonly PageRecord[]
}

export const isOnPaymentPage = ({ script, lastOnPayment }: InventoryEntry): boolean =>
  lastOnPayment.size > 0 || script.scanPresence !== null

/** Reports of browsers are claims, which anyone can send. */
export const seenBy = ({ script }: InventoryEntry): ScriptWitness[] => [
  ...(script.scanPresence ? (['scan'] as const) : []),
  ...(script.activity || script.coverage.lastUnprotectedAt ? (['browsers'] as const) : []),
]

export function uninventoriedScripts(inventory: Inventory, onPaymentOnly: boolean) {
  const listed = inventory.uninventoried.filter(
    ({ lastOnPayment }) => !onPaymentOnly || Object.keys(lastOnPayment).length > 0,
  )
  const counts = inventory.uninventoriedCounts.map(({ scripts, onPayment }) => (onPaymentOnly ? onPayment : scripts))
  return { listed, total: counts.reduce((sum, count) => sum + count, 0) }
}

/** Reads at most 1,000 scripts (Rule 54). */
export async function readInventory(read: Read, request: InventoryRequest): Promise<Inventory> {
  return assemble(read, request, request.paymentPages ?? (await readPaymentPages(read, request)), undefined)
}

/** Reads one script, which can be beyond those 1,000. */
export async function readScript(
  read: Read,
  request: InventoryRequest,
  id: string,
): Promise<InventoryEntry | undefined> {
  const paymentPages = await readPaymentPages(read, request)
  const found = await read(findScriptUrl(toFilter(request, paymentPages, undefined), id))
  const url = found.find((candidate) => scriptId(request.siteId, candidate.url) === id)?.url
  return url === undefined ? undefined : (await assemble(read, request, paymentPages, url)).entries[0]
}

/** More monitored pages than any site has. */
const maxPages = 10_000

export async function readPaymentPages(
  read: Read,
  { tenant, siteId }: Pick<InventoryRequest, 'tenant' | 'siteId'>,
): Promise<PageRecord[]> {
  return read(listMonitoredPages(tenant.id, siteId, { after: undefined, limit: maxPages, kind: 'payment' }))
}

function toFilter(
  { tenant, siteId, window, scanWindow, seenSince }: InventoryRequest,
  pages: readonly PageRecord[],
  url: string | undefined,
): InventoryFilter {
  return { tenantId: tenant.id, siteId, window, scanWindow, seenSince, hasPaymentPages: pages.length > 0, url }
}

async function assemble(
  read: Read,
  request: InventoryRequest,
  paymentPages: readonly PageRecord[],
  url: string | undefined,
): Promise<Inventory> {
  const includesAdvisories = request.tenant.entitlements.capabilities.includes('scripts.authorization')
  const extent = { hashes: request.hashes ?? true, advisories: includesAdvisories }
  const rows = await readInventoryRows(read, toFilter(request, paymentPages, url), extent)
  const identities = new Map(rows.identities.map(({ hash, identity }) => [hash, identity]))
  const checks = new Map(rows.checks.map(({ id, check }) => [id, check]))
  const facts: InventoryFacts = {
    identityOf: (hash) => identities.get(hash),
    checkOf: ({ catalog, name }) => checks.get(libraryId(catalog, name)),
    reporting: rows.violations.length > 0,
    includesAdvisories,
  }
  const rowsOf = rowsByUrl(rows)
  const entries = rows.scripts.map((inventoried): InventoryEntry => {
    const own = scriptFacts(request, rowsOf, inventoried)
    const lastOnPayment = lastByPage(rowsOf.onPayment(inventoried.url), own.violation)
    const pinnedHashes = inventoried.versions.filter(({ pinned }) => pinned).map(({ hash }) => hash)
    const tags = own.findings.flatMap(({ hasIntegrity }) => hasIntegrity ?? [])
    const hasIntegrity = tags.length > 0 && !tags.includes(false)
    return { script: assembleScript(own, facts), decisions: own.decisions, lastOnPayment, pinnedHashes, hasIntegrity }
  })
  const located = entries.map((entry) => ({ entry, at: inventoryPosition.from(entry.script) }))
  return {
    entries: located.sort((a, b) => compareInInventory(a.at, b.at)).map(({ entry }) => entry),
    truncated: rows.truncated,
    reporting: facts.reporting,
    uninventoried: rows.violations.filter(({ isInventoried }) => !isInventoried),
    uninventoriedCounts: rows.uninventoried,
    paymentPages,
  }
}

const rowsByUrl = (rows: InventoryRows) => ({
  activity: byUrl(rows.activities),
  hashes: byUrl(rows.reportedHashes),
  onPayment: byUrl(rows.onPayment),
  violation: byUrl(rows.violations),
  findings: byUrl(rows.findings),
  decisions: byUrl(rows.decisions),
  captures: byUrl(rows.captures),
})

function scriptFacts(
  { siteId, hashes = true }: InventoryRequest,
  rowsOf: ReturnType<typeof rowsByUrl>,
  inventoried: InventoriedScript,
) {
  const { url } = inventoried
  const [reported] = rowsOf.activity(url)
  return {
    siteId,
    inventoried: hashes ? inventoried : { ...inventoried, versions: [] },
    decisions: rowsOf.decisions(url).map(({ decision }) => decision),
    captures: new Map(rowsOf.captures(url).map(({ hash, capture }) => [hash, capture])),
    activity: reported
      ? {
          reportCount: reported.reportCount,
          pageCount: reported.pageCount,
          paymentPageCount: rowsOf.onPayment(url).reduce((sum, { pageCount }) => sum + pageCount, 0),
          hashes: rowsOf.hashes(url)[0]?.hashes ?? [],
        }
      : null,
    violation: rowsOf.violation(url)[0],
    findings: rowsOf.findings(url),
  } satisfies ScriptFacts
}

function lastByPage(loaded: readonly PaymentActivity[], violation: ScriptViolation | undefined): Map<string, number> {
  const last = new Map(Object.entries(violation?.lastOnPayment ?? {}))
  for (const { pageIds, lastAt } of loaded) {
    for (const pageId of pageIds) last.set(pageId, Math.max(last.get(pageId) ?? 0, lastAt))
  }
  return last
}

function byUrl<Row extends { readonly url: string }>(rows: readonly Row[]): (url: string) => readonly Row[] {
  const groups = groupBy(rows, ({ url }) => url)
  return (url) => groups.get(url) ?? []
}
