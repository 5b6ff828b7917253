import { type KnownLibrary, knownAdvisories } from '../../fixtures/known-scripts.ts'
import type { DecisionRecord } from '../../fixtures/random-scripts.ts'
import { iso, type ScriptWorld, unique } from '../support/script-world.ts'

/** One thing that saw a script. */
export interface Sighting {
  readonly url: string
  readonly hash: string
  readonly at: number
  readonly source: 'report' | 'scan'
}

export function sightingsOf({ reports, scans, paymentPages }: ScriptWorld): Sighting[] {
  const ofBrowsers = reports
    .filter(({ reportType }) => reportType === 'csp-hash')
    .map((row): Sighting => ({ url: row.scriptUrl, hash: row.scriptHash, at: row.receivedAt, source: 'report' }))
  const ofScans = scans
    .filter(({ pageId }) => paymentPages.includes(pageId))
    .flatMap(({ scripts, scannedAt }) =>
      (scripts ?? []).flatMap(({ identityUrl, hash }): Sighting[] =>
        identityUrl === null ? [] : [{ url: identityUrl, hash: hash ?? '', at: Date.parse(scannedAt), source: 'scan' }],
      ),
    )
  return [...ofBrowsers, ...ofScans]
}

export const descending = (a: string | number, b: string | number) => (a < b ? 1 : a > b ? -1 : 0)

export function versionsOf(
  world: ScriptWorld,
  url: string,
  seen: readonly Sighting[],
  decision: DecisionRecord | undefined,
) {
  const known = seen.filter(({ hash, source }) => hash !== '' || source === 'report')
  return unique(known.map(({ hash }) => hash))
    .map((hash) => {
      const own = known.filter((sighting) => sighting.hash === hash)
      const [from, to] = [Math.min(...own.map(({ at }) => at)), Math.max(...own.map(({ at }) => at))]
      const first = (source: string) => Math.min(...own.filter((one) => one.source === source).map(({ at }) => at))
      const sources = unique(own.map(({ source }) => source)).sort((a, b) => first(a) - first(b) || (a < b ? -1 : 1))
      const pins = decision?.integrityMode === 'pinned_hashes' && hash !== ''
      const library = world.libraries.get(hash)
      const capture = world.captures.find((one) => one.url === url && one.hash === hash)
      const { siteId: _, url: __, hash: ___, ...attempt } = capture ?? {}
      return {
        order: [
          to,
          hash === '' ? Math.min(...seen.filter((one) => one.hash === '').map(({ at }) => at)) : from,
          hash,
        ] as const,
        version: {
          hash,
          source: sources[0],
          sources,
          pinned: pins && (decision.pinnedHashes?.includes(hash) ?? from <= Date.parse(decision.decidedAt)),
          firstSeenAt: iso(from),
          lastSeenAt: iso(to),
          identity: library ? { ...identityOf(world, library) } : null,
          capture: capture ? attempt : null,
        },
      }
    })
    .sort(
      (a, b) =>
        descending(a.order[0], b.order[0]) || descending(a.order[1], b.order[1]) || descending(a.order[2], b.order[2]),
    )
    .map(({ version }) => version)
}

export const identityOf = ({ catalog }: ScriptWorld, { name, version }: KnownLibrary) => ({
  name,
  version,
  path: `dist/${name}.js`,
  catalog,
})

export function advisoriesOf(world: ScriptWorld, library: KnownLibrary | undefined) {
  const withoutItems = (state: string) => ({ state, severity: null, checkedAt: null, items: [] })
  if (!world.advised) return withoutItems('not_included')
  if (!library) return withoutItems('not_assessed')
  if (!library.affectedBy) return withoutItems('pending')
  const items = library.affectedBy.map((id) => ({
    id,
    ...knownAdvisories[id],
    url: `https://advisories.example.test/${id}`,
    catalog: world.catalog,
    modifiedAt: world.checkedAt,
  }))
  const state = items.length > 0 ? 'affected' : 'none_known'
  return { state, severity: items[0]?.severity ?? null, checkedAt: world.checkedAt, items }
}
