import type { Database } from '../../../../queries/clickhouse/database.ts'
import { listScanFindings } from '../../../../queries/scans/scan-evidence.ts'
import { libraryId, listLibraryChecks, listReleaseFiles } from '../../../../queries/scripts/libraries.ts'
import { listScriptIdentities, listScripts } from '../../../../queries/scripts/scripts.ts'
import { toReader } from '../../../../queries/sql/query.ts'
import { listSites } from '../../../../queries/tenants/sites.ts'
import { findTenant } from '../../../../queries/tenants/tenants.ts'
import { vulnerableEvent } from '../../../../schema/alert-events.ts'
import { dayMs } from '../../../../schema/durations.ts'
import { watchedDays } from '../../../../schema/pci.ts'
import { entitlements } from '../../../../schema/plans.ts'
import { assessScript } from '../../../../schema/rules/scripts/script-advisories.ts'
import { scriptId } from '../../../../schema/rules/scripts/script-id.ts'
import { truncate } from '../../../import/normalise/truncate.ts'
import { maxNamedLength } from '../alert-message.ts'
import type { Change, Watched } from './change.ts'

/** Advisories about scripts of the last week, on plans that include advisories; outside payment pages they wait. */
export async function findVulnerableScripts(
  database: Pick<Database, 'read'>,
  tenantId: string,
  { now }: Watched,
): Promise<Change[]> {
  const { read, readAll } = toReader(database.read)
  const [tenant] = await read(findTenant(tenantId))
  if (!tenant || !entitlements(tenant.plan, tenant.overrides).capabilities.includes('scripts.authorization')) return []
  const window = { from: now.getTime() - watchedDays * dayMs, to: now.getTime() }
  const changes: Change[] = []
  for (const { id: siteId } of await read(listSites(tenantId))) {
    const filter = { tenantId, siteId, window, seenSince: window.from, hasPaymentPages: true }
    const identities = new Map((await read(listScriptIdentities(filter))).map(({ hash, identity }) => [hash, identity]))
    const ids = [...identities.values()].map(({ catalog, name }) => libraryId(catalog, name))
    const checks = new Map((await readAll(listLibraryChecks([...new Set(ids)]))).map(({ id, check }) => [id, check]))
    if (checks.size === 0) continue
    const findings = await read(listScanFindings(filter))
    const onPayment = new Set(findings.flatMap(({ url, isGone }) => (isGone ? [] : url)))
    const affected = (await read(listScripts(filter))).flatMap(({ url, versions }) => {
      const hashed = versions.filter(({ hash }) => hash !== '')
      // Bytes that a scan found precede others, because anyone can send reports.
      const { hash = '' } = hashed.find(({ scannedFrom }) => scannedFrom > 0) ?? hashed[0] ?? {}
      const library = identities.get(hash)
      const check = library && checks.get(libraryId(library.catalog, library.name))
      return library ? assessScript(true, library, check).items.map((item) => ({ url, hash, library, item })) : []
    })
    const fixes = [...new Set(affected.flatMap(({ item }) => item.fixedIn ?? []))]
    const files = await read(listReleaseFiles([...new Set(affected.map(({ library }) => library.name))], fixes))
    const hashOf = new Map(files.map(({ name, version, path, hash }) => [`${name} ${version} ${path}`, hash]))
    for (const { url, hash, library, item } of affected) {
      const { name, version, path } = library
      const fixedIntegrity = hashOf.get(`${name} ${item.fixedIn} ${path}`) ?? null
      const advisory = { ...item, library: `${name} ${version}`, fixedIntegrity }
      changes.push({
        eventType: vulnerableEvent,
        siteId,
        subject: `${scriptId(siteId, url)} ${item.id}`,
        occurredAt: now.toISOString(),
        kind: 'script',
        script: { url: truncate(url, maxNamedLength), hash, change: 'vulnerable', advisory },
        waits: !onPayment.has(url),
      })
    }
  }
  return changes
}
