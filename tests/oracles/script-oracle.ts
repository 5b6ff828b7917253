/** @module The contract's results about scripts, computed the plain way: no SQL, no code of the API. */

import { createHash } from 'node:crypto'
import { knownScripts } from '../../fixtures/known-scripts.ts'
import type { DecisionRecord } from '../../fixtures/random-scripts.ts'
import type { StoredReport } from '../../schema/stored-report.ts'
import { iso, type ScriptWorld, unique } from '../support/script-world.ts'
import type { OracleWindow } from './oracle-parts.ts'
import { activityOf, coverageOf, isPayment, presenceOf, violationOf, within } from './script-evidence-oracle.ts'
import { advisoriesOf, descending, identityOf, sightingsOf, versionsOf } from './script-version-oracle.ts'

export interface ScriptFilters {
  readonly pageScope?: string | undefined
  readonly status?: string | undefined
  readonly identification?: string | undefined
  readonly advisories?: string | undefined
}

function idOf(siteId: string, url: string): string {
  const bytes = [
    ...createHash('sha1')
      .update(Buffer.from(siteId.split('-').join(''), 'hex'))
      .update(url)
      .digest(),
  ]
  const named = bytes
    .slice(0, 16)
    .map((byte, at) => (at === 6 ? (byte % 16) + 0x50 : at === 8 ? (byte % 64) + 0x80 : byte))
  const hex = named.map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

const byTime = (a: DecisionRecord, b: DecisionRecord) =>
  a.decidedAt < b.decidedAt || (a.decidedAt === b.decidedAt && a.id < b.id) ? -1 : 1

/** A script as the single read returns it. */
function scriptOf(world: ScriptWorld, window: OracleWindow, url: string) {
  const { reports, violations } = within(world, window)
  const seen = sightingsOf(world).filter((sighting) => sighting.url === url)
  const decisions = world.decisions.filter((one) => one.url === url).sort(byTime)
  const decision = decisions.at(-1)
  const versions = versionsOf(world, url, seen, decision)
  const hashes = versions.filter(({ pinned }, index) => index < 200 || pinned)
  const current = hashes.find(({ hash }) => hash !== '')
  const library = current && world.libraries.get(current.hash)
  const claims = knownScripts.find((script) => script.url === url)?.claims ?? null
  const misnamed = library && claims && claims.name !== library.name
  const { catalog = null, ...own } = library ? identityOf(world, library) : {}
  const times = seen.map(({ at }) => at)
  const firsts = unique(seen.map(({ hash }) => hash).filter((hash) => hash !== '')).map((hash) =>
    Math.min(...seen.filter((one) => one.hash === hash).map(({ at }) => at)),
  )
  const activity = activityOf(
    reports.filter(({ reportType, scriptUrl }) => reportType === 'csp-hash' && scriptUrl === url),
  )
  const { presence, tags } = presenceOf(world, window, url)
  const own_violations = violations.filter(({ scriptUrl }) => scriptUrl === url)
  return {
    id: idOf(world.siteId, url),
    siteId: world.siteId,
    url,
    host: new URL(url).hostname,
    status: decision?.status ?? 'unreviewed',
    integrityMode: decision?.integrityMode ?? null,
    decidedBy: decision?.decidedBy ?? null,
    decidedAt: decision?.decidedAt ?? null,
    justification: decision?.justification ?? null,
    firstSeenAt: times.length > 0 ? iso(Math.min(...times)) : null,
    lastSeenAt: times.length > 0 ? iso(Math.max(...times)) : null,
    lastNewHashAt: firsts.length > 0 ? iso(Math.max(...firsts)) : null,
    hashes,
    hashesTruncated: hashes.length < versions.length,
    coverage: coverageOf(violations.length > 0, own_violations, activity !== null, tags),
    identification: {
      state: !current ? 'unhashed' : !library ? 'unrecognised' : misnamed ? 'name_mismatch' : 'identified',
      package: library ? own : null,
      catalog,
      claimed: misnamed ? claims : null,
    },
    advisories: advisoriesOf(world, library),
    activity,
    scanPresence: presence,
    decisions: decisions.map(({ siteId: _, url: __, ...decision }) => decision),
  }
}

/** Every script of the inventory, the last seen first. */
export function oracleScripts(world: ScriptWorld, window: OracleWindow) {
  const seen = sightingsOf(world)
  const listed = seen.filter(({ at }) => at >= (world.seenSince ?? 0)).map(({ url }) => url)
  const urls = unique([...listed, ...world.decisions.map(({ url }) => url)])
  return urls
    .map((url) => scriptOf(world, window, url))
    .sort((a, b) => descending(a.lastSeenAt ?? '', b.lastSeenAt ?? '') || (a.id < b.id ? -1 : 1))
}

const counted = (states: readonly string[], found: readonly string[]) =>
  Object.fromEntries(states.map((state) => [state, found.filter((one) => one === state).length]))

/** The list, all pages together. */
export function oracleScriptList(world: ScriptWorld, window: OracleWindow, filters: ScriptFilters) {
  const all = oracleScripts(world, window)
  const onPayment = (rows: readonly StoredReport[]) => rows.some(({ documentUrl }) => isPayment(documentUrl))
  const { reports, violations } = within(world, window)
  const scoped = all.filter(({ url, status, scanPresence }) => {
    const own = reports.filter(({ scriptUrl }) => scriptUrl === url)
    const inScope = filters.pageScope !== 'payment' || onPayment(own) || scanPresence !== null
    return inScope && (filters.status === undefined || filters.status === status)
  })
  const listed = scoped.filter(
    ({ identification, advisories }) =>
      (filters.identification ?? identification.state) === identification.state &&
      (filters.advisories ?? advisories.state) === advisories.state,
  )
  const lacking = unique(violations.map(({ scriptUrl }) => scriptUrl))
    .filter((url) => url !== '' && !all.some((script) => script.url === url))
    .map((url) => ({ url, rows: violations.filter(({ scriptUrl }) => scriptUrl === url) }))
    .filter(({ rows }) => filters.pageScope !== 'payment' || onPayment(rows))
    .map(({ url, rows }) => ({ url, ...violationOf(rows) }))
    .sort((a, b) => b.last - a.last || (a.url < b.url ? -1 : 1))
  const covered = listed.map(({ coverage }) => coverage.state)
  return {
    data: listed.map(({ decisions: _, ...script }) => script),
    rest: {
      counts: {
        identification: counted(
          ['identified', 'name_mismatch', 'unrecognised', 'unhashed'],
          scoped.map(({ identification }) => identification.state),
        ),
        advisories: counted(
          ['affected', 'none_known', 'pending', 'not_assessed', 'not_included'],
          scoped.map(({ advisories }) => advisories.state),
        ),
      },
      coverage: {
        reporting: violations.length > 0,
        ...counted(['protected', 'unprotected', 'unknown'], covered),
        uninventoried: lacking.map(({ url, mode }) => ({ url, disposition: mode })),
        uninventoriedCount: lacking.length,
      },
      window: { from: iso(window.from), to: iso(window.to) },
      truncated: false,
    },
  }
}
