import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { libraryAdvisories } from '../../../app/import/records/types/library-advisories.ts'
import { libraryFiles } from '../../../app/import/records/types/library-files.ts'
import { monitoredPages } from '../../../app/import/records/types/monitored-pages.ts'
import { scans as scanType } from '../../../app/import/records/types/scans.ts'
import { scriptCaptures } from '../../../app/import/records/types/script-captures.ts'
import { scriptDecisions } from '../../../app/import/records/types/script-decisions.ts'
import { knownLibraries, libraryChecks, otherPattern, paymentPatterns } from '../../../fixtures/known-scripts.ts'
import {
  randomCaptures,
  randomDecisions,
  randomScriptReports,
  randomScriptScans,
  scriptHashesOf,
} from '../../../fixtures/random-scripts.ts'
import { chunksOf } from '../../../queries/sql/rows.ts'
import { dayMs } from '../../../schema/durations.ts'
import type { PlanOverrides } from '../../../schema/plans.ts'
import { advisoryStates, identificationStates, scriptStatuses } from '../../../schema/scripts.ts'
import type { OracleWindow } from '../../oracles/oracle-parts.ts'
import { oracleScriptList, oracleScripts, type ScriptFilters } from '../../oracles/script-oracle.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { numberOfCases } from '../../support/number-of-cases.ts'
import { readPages } from '../../support/read-pages.ts'
import { windowWithin } from '../../support/report-requests.ts'
import type { ScriptWorld } from '../../support/script-world.ts'
import type { TestKey } from '../../support/tenants.ts'

const retentionDays = 45

const now = Date.now()
const seed = now % 1_000_000_007
const retentionFrom = (Math.floor(now / dayMs) - retentionDays) * dayMs

let api: TestApi
let worlds: { world: ScriptWorld; key: TestKey }[]

const hashes = scriptHashesOf(seed)

const uuidOf = (number: number) =>
  `${String(seed).padStart(8, '0').slice(-8)}-0000-4000-8000-${String(number).padStart(12, '0')}`

/** A tenant with two sites whose records look alike; what is older than its retention is stored too. */
async function createWorlds(overrides: PlanOverrides, catalog: string, checkedAt: string, place: number) {
  const tenantId = await api.createTenant({
    overrides: { retentionDays, keyLimit: 1_000_000, tenantLimit: 1_000_000, ...overrides },
  })
  const siteIds = await api.createSites(tenantId, 2)
  const key = await api.createKey(tenantId)
  const pagesOf = new Map(
    siteIds.map((siteId, site) => [siteId, paymentPatterns.map((_, index) => uuidOf(place * 100 + site * 10 + index))]),
  )
  await api.importRecords(
    tenantId,
    monitoredPages,
    siteIds.flatMap((siteId, site) => {
      const page = (id: string, kind: string, pattern: string) => ({
        id,
        siteId,
        kind,
        label: 'Page',
        pattern,
        scanUrl: 'https://shop.example.test/checkout',
      })
      const payment = (pagesOf.get(siteId) ?? []).map((id, index) => page(id, 'payment', paymentPatterns[index] ?? ''))
      return [...payment, page(uuidOf(place * 100 + site * 10 + 9), 'other', otherPattern)]
    }),
  )
  const span = { seed, tenantId, siteIds, hashes, from: new Date(now - 80 * dayMs), to: new Date(now) }
  const reports = randomScriptReports({ ...span, count: 480 })
  // In two inserts, so that a rollup's rows lie in several parts.
  for (const batch of chunksOf(reports, reports.length / 2)) await api.insertReports(batch)
  const otherPages = siteIds.map((_, site) => uuidOf(place * 100 + site * 10 + 9))
  const scans = randomScriptScans({
    ...span,
    seed: seed + place,
    count: 150,
    pageIds: [...[...pagesOf.values()].flat(), ...otherPages],
  })
  await api.importRecords(tenantId, scanType, scans)
  const decisions = randomDecisions({ ...span, count: 30 }).map((one, index) => ({
    ...one,
    id: uuidOf(place * 100 + 50 + index),
  }))
  await api.importRecords(tenantId, scriptDecisions, decisions)
  const captures = randomCaptures({ ...span, count: 40 })
  await api.importRecords(tenantId, scriptCaptures, captures)
  const libraries = new Map(knownLibraries.map((library, index) => [hashes[index] ?? '', library]))
  return siteIds.map((siteId) => ({
    key,
    world: {
      siteId,
      reports: reports.filter((row) => row.siteId === siteId),
      paymentPages: pagesOf.get(siteId) ?? [],
      scans,
      decisions: decisions.filter((one) => one.siteId === siteId),
      captures: captures.filter((one) => one.siteId === siteId),
      libraries,
      catalog,
      checkedAt,
      advised: overrides.capabilities === undefined,
    },
  }))
}

beforeAll(async () => {
  api = await startApi({ now: () => new Date(now) })
  const [catalog, checkedAt] = [`npm-${seed}`, new Date(now - dayMs).toISOString()]
  const index = knownLibraries.map(({ name, version }, at) => ({
    hash: hashes[at],
    name,
    version,
    path: `dist/${name}.js`,
    catalog,
  }))
  // Public knowledge is nobody's: it is imported for no tenant.
  await api.importRecords(undefined, libraryFiles, index)
  const advisory = { url: '', modifiedAt: checkedAt }
  const checks = libraryChecks.map(({ advisories, ...check }) => ({
    ...check,
    catalog,
    checkedAt,
    advisories: advisories.map((one) => ({ ...advisory, ...one, url: `https://advisories.example.test/${one.id}` })),
  }))
  await api.importRecords(undefined, libraryAdvisories, checks)
  const downgraded = { capabilities: ['api' as const] }
  worlds = [
    ...(await createWorlds({}, catalog, checkedAt, 1)),
    ...(await createWorlds(downgraded, catalog, checkedAt, 2)),
  ]
})

afterAll(() => api?.close())

const windows = fc.oneof(
  { weight: 3, arbitrary: windowWithin(retentionFrom, now, 31) },
  { weight: 1, arbitrary: windowWithin(retentionFrom, now, 1) },
)
const optional = <T>(values: readonly T[]) => fc.option(fc.constantFrom(...values), { freq: 2, nil: undefined })
const filters = fc.record({
  pageScope: optional(['payment', 'any']),
  status: optional(scriptStatuses),
  identification: optional(identificationStates),
  advisories: optional(advisoryStates),
})
const requested = ({ from, to }: OracleWindow) => ({
  from: new Date(from).toISOString(),
  to: new Date(to).toISOString(),
})
/** Ends at the first difference, without looking for a smaller one: each costs requests. */
const runs = (numRuns: number) => ({ numRuns: numberOfCases(numRuns), seed, endOnFailure: true })

/** The filter is refused to a plan without advisories. */
const allowed = (world: ScriptWorld, given: ScriptFilters) =>
  world.advised ? given : { ...given, advisories: undefined }

test('the inventory agrees with the oracle page by page, on random filters and unaligned windows', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(3),
      windows,
      filters,
      fc.integer({ min: 5, max: 40 }),
      async (index, window, given, limit) => {
        const { world, key } = worlds[index] as (typeof worlds)[number]
        const filter = allowed(world, given)
        const expected = oracleScriptList(world, window, filter)
        const path = `/v1/sites/${world.siteId}/scripts`
        const response = await readPages(api, key, path, { ...requested(window), ...filter, limit })
        expect(response.data).toEqual(expected.data)
        expect(response.rest).toEqual(expected.rest)
      },
    ),
    runs(18),
  )
})

test('a script and its decisions agree with the oracle', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(3), windows, fc.nat(), async (index, window, drawn) => {
      const { world, key } = worlds[index] as (typeof worlds)[number]
      const scripts = oracleScripts(world, window)
      const expected = scripts[drawn % scripts.length]
      const path = `/v1/sites/${world.siteId}/scripts/${expected?.id}?${new URLSearchParams(requested(window))}`
      const { status, body } = await api.get(path, { key })
      expect(status).toBe(200)
      expect(body).toEqual({ data: expected })
    }),
    runs(9),
  )
})
