import fc from 'fast-check'
import { type RandomReportsOptions, randomReports } from '../../fixtures/reports.ts'
import { chunksOf } from '../../queries/sql/rows.ts'
import { dayMs } from '../../schema/durations.ts'
import type { StoredReport } from '../../schema/stored-report.ts'
import { startApi, type TestApi } from '../support/api.ts'
import { numberOfCases } from '../support/number-of-cases.ts'
import { windowWithin } from '../support/report-requests.ts'
import type { TestKey } from '../support/tenants.ts'
import type { OracleWindow } from './oracle-parts.ts'

/** In days, by default. */
const usualDays = 62

/** Time of the requests and seed of the run, and start of the tenant's retention. */
export const now = Number(process.env.SEED ?? Date.now())
export const retentionFrom = retentionStartOf(usualDays)

function retentionStartOf(days: number): number {
  return (Math.floor(now / dayMs) - days) * dayMs
}

/** Windows up to the longest of grouped reports, and short ones. */
export const windows = fc.oneof(
  { weight: 3, arbitrary: windowWithin(retentionFrom, now, 31) },
  { weight: 1, arbitrary: windowWithin(retentionFrom, now, 1) },
)

/** A window's parameters. */
export const windowParams = ({ from, to }: OracleWindow) => ({
  from: new Date(from).toISOString(),
  to: new Date(to).toISOString(),
})

export const optional = <T>(values: readonly T[]) => fc.option(fc.constantFrom(...values), { freq: 2, nil: undefined })

/** Ends at the first difference, without looking for a smaller one: each costs requests. */
export const runs = (numRuns: number) => ({ numRuns: numberOfCases(numRuns), seed: now, endOnFailure: true })

/** A tenant with reports over its whole retention, and its API. */
export interface OracleWorld {
  readonly api: TestApi
  readonly tenantId: string
  readonly key: TestKey
  readonly siteIds: readonly string[]
  /** Start of its retention, and of its reports. */
  readonly retentionFrom: number
  readonly rows: readonly StoredReport[]
}

/** How a world is made. */
interface OracleWorldOptions extends Pick<RandomReportsOptions, 'count' | 'reportTypes'> {
  readonly siteCount: number
  readonly retentionDays?: number
  /** What one random report becomes. */
  readonly change?: (row: StoredReport, index: number, siteIds: readonly string[]) => StoredReport[]
}

/** Beside a stranger with the same rows, sites included. */
export async function startOracleWorld({
  siteCount,
  retentionDays = usualDays,
  change = (row) => [row],
  ...given
}: OracleWorldOptions): Promise<OracleWorld> {
  const api = await startApi({ now: () => new Date(now) })
  const overrides = { retentionDays, keyLimit: 1_000_000, tenantLimit: 1_000_000 }
  const [tenantId, strangerId] = await Promise.all([api.createTenant({ overrides }), api.createTenant({ overrides })])
  const siteIds = await api.createSites(tenantId, siteCount)
  const key = await api.createKey(tenantId)
  const start = retentionStartOf(retentionDays)
  const span = { from: new Date(start), to: new Date(now) }
  // A day more than the tenant's, so that none expires while the test runs.
  const stored = { retentionDays: Math.max(365, retentionDays + 1) }
  const rows = randomReports({ ...given, ...span, ...stored, seed: now, tenantId, siteIds }).flatMap((row, index) =>
    change(row, index, siteIds),
  )
  // Two inserts, so that a rollup's rows lie in several parts.
  for (const batch of chunksOf(rows, Math.ceil(rows.length / 2))) {
    await api.insertReports(batch.flatMap((row) => [row, { ...row, tenantId: strangerId }]))
  }
  return { api, tenantId, key, siteIds, retentionFrom: start, rows }
}
