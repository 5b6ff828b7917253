import { listMonitoredPages } from '../../queries/pages/list-monitored-pages.ts'
import type { Query } from '../../queries/query.ts'
import { assembleScript, type InventoryFacts } from '../../queries/rules/assemble-script.ts'
import type { Span } from '../../queries/rules/coverage.ts'
import { pageMatch } from '../../queries/rules/page-pattern.ts'
import { scriptId } from '../../queries/rules/script-id.ts'
import { listLoadingScans } from '../../queries/scans/list-loading-scans.ts'
import { listScanFindings } from '../../queries/scans/list-scan-findings.ts'
import { findScriptUrl } from '../../queries/scripts/find-script-url.ts'
import { libraryId, listLibraryChecks } from '../../queries/scripts/list-library-checks.ts'
import { listPaymentActivity, type PaymentActivity } from '../../queries/scripts/list-payment-activity.ts'
import { listScriptActivity } from '../../queries/scripts/list-script-activity.ts'
import { listScriptCaptures } from '../../queries/scripts/list-script-captures.ts'
import { listScriptDecisions } from '../../queries/scripts/list-script-decisions.ts'
import { listScriptHashes } from '../../queries/scripts/list-script-hashes.ts'
import { listScriptIdentities } from '../../queries/scripts/list-script-identities.ts'
import { listScriptViolations, type ScriptViolation } from '../../queries/scripts/list-script-violations.ts'
import { listScripts } from '../../queries/scripts/list-scripts.ts'
import type { InventoryQuestion } from '../../queries/scripts/script-inventory.ts'
import type { PageRecord } from '../../schema/replies/monitored-page.ts'
import type { Script, ScriptDecision } from '../../schema/replies/script.ts'
import { inventorySize } from '../../schema/scripts.ts'
import type { Caller } from '../pipeline/authenticate.ts'
import { compareInInventory, positionOfScript } from './inventory-order.ts'

type Read = <Row>(query: Query<Row>) => Promise<Row[]>

/** Whose inventory is read, and over which time. */
export interface InventoryAsked {
  readonly tenant: Caller['tenant']
  readonly siteId: string
  /** What activity, integrity and scans are read over. */
  readonly window: Span
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
  /** When browsers last reported it on each payment page in the window; milliseconds since the Unix epoch. */
  readonly lastOnPayment: readonly { readonly pageId: string; readonly at: number }[]
}

/** The scripts of a site. */
export interface Inventory {
  /** The last seen first, then by id. */
  readonly entries: readonly InventoryEntry[]
  /** The site has more scripts than one read returns. */
  readonly truncated: boolean
  /** Browsers reported an integrity violation of the site's scripts in the window. */
  readonly reporting: boolean
  /** Scripts that browsers reported without integrity metadata and the inventory lacks: the latest 1,000, latest first. */
  readonly uninventoried: readonly ScriptViolation[]
  readonly paymentPages: readonly PageRecord[]
}

/** Whether browsers or scans saw a script on a payment page in the window. */
export const isOnPaymentPage = ({ script, lastOnPayment }: InventoryEntry): boolean =>
  lastOnPayment.length > 0 || script.scanPresence !== null

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
): InventoryQuestion {
  const paymentPages = pages.map(({ id, pattern }) => ({ id, match: pageMatch(pattern) }))
  return { tenantId: tenant.id, siteId, window, retentionFrom, paymentPages, url }
}

async function assemble(
  read: Read,
  asked: InventoryAsked,
  paymentPages: readonly PageRecord[],
  url: string | undefined,
): Promise<Inventory> {
  const question = toQuestion(asked, paymentPages, url)
  const plansAdvisories = asked.tenant.may.capabilities.includes('scripts.authorization')
  const scanned = paymentPages.length > 0
  const hashed = !asked.withoutHashes
  const [scripts, files, decisions, captures, findings, loadingScans] = await Promise.all([
    read(listScripts(question)),
    hashed ? read(listScriptIdentities(question)) : [],
    read(listScriptDecisions(question)),
    hashed ? read(listScriptCaptures(question)) : [],
    scanned ? read(listScanFindings(question)) : [],
    scanned ? read(listLoadingScans(question)) : [],
  ])
  const truncated = scripts.length > inventorySize
  const returned = scripts.slice(0, inventorySize)
  const libraries = [...new Set(files.map(({ identity: { catalog, name } }) => libraryId(catalog, name)))]
  const [activities, hashes, onPayment, violations, checked] = await Promise.all([
    read(listScriptActivity(question, truncated)),
    hashed ? read(listScriptHashes(question, truncated)) : [],
    scanned ? read(listPaymentActivity(question, truncated)) : [],
    read(
      listScriptViolations(
        question,
        returned.map((one) => one.url),
        truncated,
      ),
    ),
    plansAdvisories ? Promise.all(listLibraryChecks(libraries).map(read)) : [],
  ])
  const identities = new Map(files.map(({ hash, identity }) => [hash, identity]))
  const checks = new Map(checked.flat().map(({ id, check }) => [id, check]))
  const facts: InventoryFacts = {
    identityOf: (hash) => identities.get(hash),
    checkOf: ({ catalog, name }) => checks.get(libraryId(catalog, name)),
    reporting: violations.length > 0,
    loadingScans,
    plansAdvisories,
  }
  const of = {
    activity: byUrl(activities),
    hashes: byUrl(hashes),
    onPayment: byUrl(onPayment),
    violation: byUrl(violations),
    findings: byUrl(findings),
    decisions: byUrl(decisions),
    captures: byUrl(captures),
  }
  const entries = returned.map((inventoried): InventoryEntry => {
    const [reported] = of.activity(inventoried.url)
    const paid = of.onPayment(inventoried.url)
    const made = of.decisions(inventoried.url).map(({ decision }) => decision)
    const script = assembleScript(
      {
        siteId: asked.siteId,
        inventoried: hashed ? inventoried : { ...inventoried, versions: [] },
        decisions: made,
        captures: new Map(of.captures(inventoried.url).map(({ hash, capture }) => [hash, capture])),
        activity: reported
          ? {
              reportCount: reported.reportCount,
              pageCount: reported.pageCount,
              paymentPageCount: paid.reduce((sum, { pageCount }) => sum + pageCount, 0),
              hashes: of.hashes(inventoried.url)[0]?.hashes ?? [],
            }
          : null,
        violation: of.violation(inventoried.url)[0],
        findings: of.findings(inventoried.url),
      },
      facts,
    )
    const lastOnPayment = paymentPages
      .map(({ id }, index) => ({ pageId: id, at: lastOn(paid, index + 1) }))
      .filter(({ at }) => at > 0)
    return { script, decisions: made, lastOnPayment }
  })
  return {
    entries: entries.sort((a, b) => compareInInventory(positionOfScript(a.script), positionOfScript(b.script))),
    truncated,
    reporting: facts.reporting,
    uninventoried: violations.filter(({ isInventoried }) => !isInventoried),
    paymentPages,
  }
}

/** The last time that a script was reported on the payment page of a place; 0 for never. */
const lastOn = (activity: readonly PaymentActivity[], place: number): number =>
  Math.max(0, ...activity.filter(({ places }) => places.includes(place)).map(({ lastAt }) => lastAt))

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
