import { listMonitoredPages } from '../../../queries/pages/list-monitored-pages.ts'
import type { TimeRange } from '../../../queries/rollups/time-range.ts'
import {
  assembleScript,
  type InventoriedScript,
  type InventoryFacts,
  type ScriptFacts,
} from '../../../queries/rules/scripts/assemble-script.ts'
import { scriptId } from '../../../queries/rules/scripts/script-id.ts'
import { findScriptUrl } from '../../../queries/scripts/find-script-url.ts'
import { libraryId } from '../../../queries/scripts/list-library-checks.ts'
import type { PaymentActivity } from '../../../queries/scripts/list-payment-activity.ts'
import type { ScriptViolation } from '../../../queries/scripts/list-script-violations.ts'
import type { InventoryFilter } from '../../../queries/scripts/script-inventory.ts'
import type { Read } from '../../../queries/sql/query.ts'
import type { PageRecord } from '../../../schema/responses/monitored-page.ts'
import type { Script, ScriptDecision } from '../../../schema/responses/script.ts'
import type { Caller } from '../../pipeline/authenticator.ts'
import { compareInInventory, inventoryPosition } from './inventory-order.ts'
import { type InventoryRows, readInventoryRows } from './inventory-rows.ts'

/** Whose inventory is read, and over which time. */
export interface InventoryAsked {
  readonly tenant: Caller['tenant']
  readonly siteId: string
  /** What activity, integrity and scans are read over. */
  readonly window: TimeRange
  /** The first moment the tenant's retention reaches. */
  readonly retentionFrom: number
  /** The site's payment pages, where they were read before. */
  readonly paymentPages?: readonly PageRecord[]
  /** Leaves every script's hashes empty, and unread what is known of them. */
  readonly withoutHashes?: true
}

/** A script, and what else its site's answers are made of. */
export interface InventoryEntry {
  readonly script: Script
  /** Oldest first. */
  readonly decisions: ScriptDecision[]
  /** When browsers last reported it in the window, by the payment page's id; milliseconds since the Unix epoch. */
  readonly lastOnPayment: ReadonlyMap<string, number>
}

/** The scripts of a site. */
export interface Inventory {
  /** The last seen first, then by id. */
  readonly entries: readonly InventoryEntry[]
  /** The site has more scripts than one read returns. */
  readonly truncated: boolean
  /** Browsers reported an integrity violation of the site's scripts in the window. */
  readonly reporting: boolean
  /**
   * Scripts that browsers reported without integrity metadata and the inventory lacks, the latest first: at most 1,000, of
   * more those of payment pages, and then the latest.
   */
  readonly uninventoried: readonly ScriptViolation[]
  readonly paymentPages: readonly PageRecord[]
}

/** Whether browsers or scans saw a script on a payment page in the window. */
export const isOnPaymentPage = ({ script, lastOnPayment }: InventoryEntry): boolean =>
  lastOnPayment.size > 0 || script.scanPresence !== null

/** Scripts that browsers reported unprotected on payment pages and the inventory lacks. */
export const uninventoriedOnPayment = ({ uninventoried }: Inventory) =>
  uninventoried.filter(({ lastOnPayment }) => Object.keys(lastOnPayment).length > 0)

/** Reads a site's inventory: at most 1,000 scripts, of more those seen last. */
export async function readInventory(read: Read, asked: InventoryAsked): Promise<Inventory> {
  return assemble(read, asked, asked.paymentPages ?? (await readPaymentPages(read, asked)), undefined)
}

/** Reads one script of it, which can be beyond those; undefined where the inventory has none with this id. */
export async function readScript(read: Read, asked: InventoryAsked, id: string): Promise<InventoryEntry | undefined> {
  const paymentPages = await readPaymentPages(read, asked)
  const found = await read(findScriptUrl(toQuestion(asked, paymentPages, undefined), id))
  const url = found.find((candidate) => scriptId(asked.siteId, candidate.url) === id)?.url
  return url === undefined ? undefined : (await assemble(read, asked, paymentPages, url)).entries[0]
}

/** More monitored pages than any site has. */
const mostPages = 10_000

/** A site's payment pages, in the order the site lists them. */
export async function readPaymentPages(
  read: Read,
  { tenant, siteId }: Pick<InventoryAsked, 'tenant' | 'siteId'>,
): Promise<PageRecord[]> {
  return read(listMonitoredPages(tenant.id, siteId, undefined, mostPages, 'payment'))
}

function toQuestion(
  { tenant, siteId, window, retentionFrom }: InventoryAsked,
  pages: readonly PageRecord[],
  url: string | undefined,
): InventoryFilter {
  return { tenantId: tenant.id, siteId, window, retentionFrom, hasPaymentPages: pages.length > 0, url }
}

async function assemble(
  read: Read,
  asked: InventoryAsked,
  paymentPages: readonly PageRecord[],
  url: string | undefined,
): Promise<Inventory> {
  const plansAdvisories = asked.tenant.may.capabilities.includes('scripts.authorization')
  const extent = { hashes: !asked.withoutHashes, advisories: plansAdvisories }
  const rows = await readInventoryRows(read, toQuestion(asked, paymentPages, url), extent)
  const identities = new Map(rows.identities.map(({ hash, identity }) => [hash, identity]))
  const checks = new Map(rows.checks.map(({ id, check }) => [id, check]))
  const loadingScans = new Map(rows.loadingScans.map((scan) => [scan.pageId, scan]))
  const facts: InventoryFacts = {
    identityOf: (hash) => identities.get(hash),
    checkOf: ({ catalog, name }) => checks.get(libraryId(catalog, name)),
    reporting: rows.violations.length > 0,
    loadingScanOf: (pageId) => loadingScans.get(pageId),
    plansAdvisories,
  }
  const of = rowsByUrl(rows)
  const entries = rows.scripts.map((inventoried): InventoryEntry => {
    const own = scriptFacts(asked, of, inventoried)
    const lastOnPayment = lastByPage(of.onPayment(inventoried.url), own.violation)
    return { script: assembleScript(own, facts), decisions: own.decisions, lastOnPayment }
  })
  const placed = entries.map((entry) => ({ entry, at: inventoryPosition.of(entry.script) }))
  return {
    entries: placed.sort((a, b) => compareInInventory(a.at, b.at)).map(({ entry }) => entry),
    truncated: rows.truncated,
    reporting: facts.reporting,
    uninventoried: rows.violations.filter(({ isInventoried }) => !isInventoried),
    paymentPages,
  }
}

/** Finds the rows of a script by what they tell. */
const rowsByUrl = (rows: InventoryRows) => ({
  activity: byUrl(rows.activities),
  hashes: byUrl(rows.reportedHashes),
  onPayment: byUrl(rows.onPayment),
  violation: byUrl(rows.violations),
  findings: byUrl(rows.findings),
  decisions: byUrl(rows.decisions),
  captures: byUrl(rows.captures),
})

/** What the rows tell of a script. */
function scriptFacts(
  { siteId, withoutHashes }: InventoryAsked,
  of: ReturnType<typeof rowsByUrl>,
  inventoried: InventoriedScript,
) {
  const { url } = inventoried
  const [reported] = of.activity(url)
  return {
    siteId,
    inventoried: withoutHashes ? { ...inventoried, versions: [] } : inventoried,
    decisions: of.decisions(url).map(({ decision }) => decision),
    captures: new Map(of.captures(url).map(({ hash, capture }) => [hash, capture])),
    activity: reported
      ? {
          reportCount: reported.reportCount,
          pageCount: reported.pageCount,
          paymentPageCount: of.onPayment(url).reduce((sum, { pageCount }) => sum + pageCount, 0),
          hashes: of.hashes(url)[0]?.hashes ?? [],
        }
      : null,
    violation: of.violation(url)[0],
    findings: of.findings(url),
  } satisfies ScriptFacts
}

/** When browsers last reported a script on each payment page: that it loaded, or that it did so unprotected. */
function lastByPage(loaded: readonly PaymentActivity[], violation: ScriptViolation | undefined): Map<string, number> {
  const last = new Map(Object.entries(violation?.lastOnPayment ?? {}))
  for (const { pageIds, lastAt } of loaded) {
    for (const pageId of pageIds) last.set(pageId, Math.max(last.get(pageId) ?? 0, lastAt))
  }
  return last
}

/** Finds the rows of a script, in their order. */
function byUrl<Row extends { readonly url: string }>(rows: readonly Row[]): (url: string) => readonly Row[] {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const group = groups.get(row.url)
    if (group) group.push(row)
    else groups.set(row.url, [row])
  }
  return (url) => groups.get(url) ?? []
}
