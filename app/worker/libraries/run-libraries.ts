/** @module The loop of libraries: files and advisories of the public libraries that known scripts claim to be. */

import { Readable } from 'node:stream'
import { ZodError } from 'zod'
import { listDecidedScripts } from '../../../queries/scripts/decisions.ts'
import { libraryId, listLibraryChecks, listReleaseFiles } from '../../../queries/scripts/libraries.ts'
import { listScannedVersions } from '../../../queries/scripts/scanned-versions.ts'
import { toReader } from '../../../queries/sql/query.ts'
import { listSites } from '../../../queries/tenants/sites.ts'
import { dayMs, hourMs } from '../../../schema/durations.ts'
import { watchedDays } from '../../../schema/pci.ts'
import { isExactVersion, npmCatalog, publicClaim } from '../../../schema/rules/scripts/claimed-library.ts'
import { compareVersions, isWithin } from '../../../schema/rules/scripts/library-version.ts'
import type { Config } from '../../config.ts'
import { importObjects } from '../../import/records/import-objects.ts'
import { importRecords } from '../../import/records/import-records.ts'
import { libraryAdvisories } from '../../import/records/types/library-advisories.ts'
import { libraryFiles } from '../../import/records/types/library-files.ts'
import { leaseIds } from '../../program/lease.ts'
import { reasonOf } from '../../program/log-outage.ts'
import type { CaptureLoop } from '../captures/run-captures.ts'
import { FetchFailure } from '../fetch/fetch-failure.ts'
import { listScriptTenants } from '../list-script-tenants.ts'
import { underLease } from '../under-lease.ts'
import { filesUrl, toLibraryFiles } from './jsdelivr-files.ts'
import { advisoriesUrl, toAdvisories } from './osv-advisories.ts'
import { requestJson, type SourceSettings } from './source-request.ts'

export interface LibraryLoop extends Omit<CaptureLoop, 'settings' | 'metrics' | 'copies'> {
  readonly sources: Config['LIBRARY_SOURCES']
  readonly settings: SourceSettings
}

/** Requests of a worker to one source in a UTC day, and script versions of a site, more than a week's scans find. */
const [requestsOfDay, versionsOfSite] = [1_000, 100_000]

export const runLibraries = (loop: LibraryLoop): Promise<void> =>
  underLease({ ...loop, leaseId: leaseIds.libraries, name: 'Libraries' }, createLibraryPass(loop))

export function createLibraryPass(loop: LibraryLoop) {
  const { database, sources, settings, log, stopping, cut } = loop
  const { read, readAll } = toReader(database.read)
  const time = () => settings.now().getTime()
  /** Earliest times of the next requests to a source and about a library or version, and numbers of requests by day. */
  const [dueOf, sentOf] = [new Map<string, number>(), new Map<string, number>()]

  /** Undefined if nothing is due or the request failed, which changes nothing that is stored. */
  async function load<Loaded>(source: (typeof sources)[number], library: string, request: () => Promise<Loaded>) {
    const [day, key] = [`${source} ${Math.floor(time() / dayMs)}`, `${source} ${library}`]
    const sent = sentOf.get(day) ?? 0
    const isDue = time() >= Math.max(dueOf.get(source) ?? 0, dueOf.get(key) ?? 0)
    if (stopping.aborted || !sources.includes(source) || !isDue || sent >= requestsOfDay) return undefined
    sentOf.set(day, sent + 1)
    try {
      return await request()
    } catch (error) {
      cut.throwIfAborted()
      const isOfLibrary = error instanceof ZodError || error instanceof SyntaxError
      const retryAt = error instanceof FetchFailure ? error.retryAt?.getTime() : undefined
      dueOf.set(isOfLibrary ? key : source, isOfLibrary ? time() + dayMs : (retryAt ?? time() + hourMs))
      const reason = error instanceof ZodError ? 'The response has another format' : reasonOf(error)
      log.error({ source, library, reason }, 'Failed to look up a library; stored verdicts remain')
      return undefined
    }
  }

  /** In ascending order: if versions share a file, the lowest version is stored and keeps its hash (Rule 55). */
  async function lookUpFiles(name: string, versions: readonly string[]): Promise<void> {
    const keyOf = (version: string) => `jsdelivr ${name}@${version}`
    const open = versions.filter((version) => dueOf.get(keyOf(version)) !== Number.POSITIVE_INFINITY)
    const stored = new Set((await read(listReleaseFiles([name], open))).map(({ version }) => version))
    for (const version of open) {
      const request = () => requestJson(filesUrl(name, version), settings, cut)
      const loaded = async () => toLibraryFiles(name, version, await request())
      const files = stored.has(version) ? [] : await load('jsdelivr', `${name}@${version}`, loaded)
      if (!files) continue
      const source = Readable.from(files.map((file) => `${JSON.stringify(file)}\n`))
      await importRecords({ type: libraryFiles, database, source })
      dueOf.set(keyOf(version), Number.POSITIVE_INFINITY)
    }
  }

  async function lookUpAdvisories(name: string, versions: readonly string[]): Promise<void> {
    const [stored] = await readAll(listLibraryChecks([libraryId(npmCatalog, name)]))
    if (stored && time() - Date.parse(stored.check.checkedAt) < dayMs) return
    const check = await load('osv', name, async () => {
      const checkedAt = settings.now().toISOString()
      const response = await requestJson(advisoriesUrl, settings, cut, { package: { name, ecosystem: npmCatalog } })
      const record = { catalog: npmCatalog, package: name, checkedAt, advisories: toAdvisories(name, response) }
      libraryAdvisories.schema.parse(record)
      return record
    })
    if (!check) return
    // Before the advisories, so that an alert has the hashes of the fixed files.
    await lookUpFiles(name, fixesOf(check.advisories, versions))
    await importObjects({ type: libraryAdvisories, database }, [check])
  }

  return async (checkLease: () => Promise<void>): Promise<void> => {
    for (const [name, claimed] of await readClaims(loop)) {
      const versions = [...claimed].flatMap((version) => version ?? []).sort(compareVersions)
      await checkLease()
      await lookUpFiles(name, versions)
      await lookUpAdvisories(name, versions)
    }
  }
}

/** Fixed versions of the advisories about these versions, in ascending order. */
function fixesOf(advisories: ReturnType<typeof toAdvisories>, versions: readonly string[]): string[] {
  const ranges = advisories.flatMap((advisory) => advisory.ranges)
  const affecting = ranges.filter((range) => versions.some((version) => isWithin(version, range)))
  const fixes = new Set(affecting.flatMap(({ fixed }) => fixed ?? []))
  return [...fixes].filter(isExactVersion).sort(compareVersions)
}

/** Versions of the libraries that URLs claim: of scripts in a complete scan of the last week, and in decisions. */
async function readClaims(loop: LibraryLoop) {
  const { database, settings } = loop
  const now = settings.now().getTime()
  const sighted = { since: new Date(now - watchedDays * dayMs), limit: versionsOfSite }
  const claims = new Map<string, Set<string | null>>()
  for (const { id: tenantId } of await listScriptTenants(loop)) {
    for (const { id: siteId } of await database.read(listSites(tenantId))) {
      const scanned = await database.read(listScannedVersions({ tenantId, siteId }, sighted))
      for (const { url } of [...scanned, ...(await database.read(listDecidedScripts(tenantId, siteId)))]) {
        const claim = publicClaim(url)
        if (claim) claims.set(claim.name, (claims.get(claim.name) ?? new Set()).add(claim.version))
      }
    }
  }
  return claims
}
