import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { dayMs } from '../../../schema/durations.ts'
import { retentionStart } from '../../../schema/plans.ts'
import { queryRows } from '../../support/database.ts'
import { importFile, type SmallImport } from '../../support/import-file.ts'
import { connectPatiently } from '../../support/patience.ts'

const folder = mkdtempSync(join(tmpdir(), 'import-retention-'))
const start = Date.now()
const days = 120
let database: Database
let tenants = 0

beforeAll(() => {
  database = connectPatiently(inject('servers').writeUrl)
})

afterAll(async () => {
  await database?.close()
  rmSync(folder, { recursive: true })
})

/** Two reports a day of the days before; the last line brings no time. */
function newImport(): SmallImport {
  const path = join(folder, `${tenants}.ndjson`)
  const body = (index: number) => [{ type: 'crash', url: `https://shop.test/${index % 7}`, body: { reason: 'oom' } }]
  const lines = Array.from({ length: 2 * days }, (_, index) =>
    JSON.stringify({ receivedAt: new Date(start - index * (dayMs / 2)).toISOString(), body: body(index) }),
  )
  writeFileSync(path, `${[...lines, JSON.stringify(body(0))].join('\n')}\n`)
  const tenantId = `00000000-0000-4000-8000-6${String(process.pid).padStart(7, '0')}${String(tenants++).padStart(4, '0')}`
  const sites = [{ id: '00000000-0000-4000-8000-0000000000aa', hosts: ['shop.test'] }]
  const limits = { batchBytes: 9_000, maxLineBytes: 20_000 }
  return { writeUrl: inject('servers').writeUrl, path, tenantId, sites, limits }
}

/** What the table holds at a time, by the TTL of each row, and the count of the smallest rollup. */
async function stored({ tenantId }: SmallImport, retentionDays: number, now: Date) {
  const lives = `toDateTime(toDate(received_at), 'UTC') + toIntervalDay(retention_days + 1) > toDateTime(${Math.floor(now.getTime() / 1000)})`
  const reached = `received_at >= fromUnixTimestamp64Milli(${retentionStart(retentionDays, now).getTime()})`
  const [row = []] = await queryRows(
    database,
    `SELECT countIf(${lives} AND ${reached}), count(), uniqExact(id) FROM reports WHERE tenant_id = '${tenantId}'`,
  )
  const [[rollup] = []] = await queryRows(
    database,
    `SELECT sum(report_count) FROM reports_by_time WHERE grain = 'hour' AND tenant_id = '${tenantId}'`,
  )
  return { readable: Number(row[0]), rows: Number(row[1]), ids: Number(row[2]), rollup: Number(rollup) }
}

interface Run {
  readonly retentionDays: number
  /** Days after the first run. */
  readonly after: number
  readonly failsAt?: SmallImport['failsAt']
}

const paths: readonly (readonly [string, readonly Run[]])[] = [
  [
    'repeated',
    [
      { retentionDays: 30, after: 0 },
      { retentionDays: 30, after: 0 },
      { retentionDays: 30, after: 9 },
    ],
  ],
  [
    'raised at once',
    [
      { retentionDays: 30, after: 0 },
      { retentionDays: 90, after: 0 },
      { retentionDays: 90, after: 1 },
    ],
  ],
  [
    'raised twice',
    [
      { retentionDays: 7, after: 0 },
      { retentionDays: 30, after: 0 },
      { retentionDays: 200, after: 0 },
    ],
  ],
  [
    'lowered and raised',
    [
      { retentionDays: 60, after: 0 },
      { retentionDays: 7, after: 2 },
      { retentionDays: 90, after: 2 },
    ],
  ],
  [
    'raised after rows expired',
    [
      { retentionDays: 30, after: 0 },
      { retentionDays: 90, after: 20 },
      { retentionDays: 365, after: 75 },
    ],
  ],
  [
    'cut off, then raised',
    [
      { retentionDays: 30, after: 0, failsAt: { step: 'start', after: 1 } },
      { retentionDays: 90, after: 1, failsAt: { step: 'write', after: 2 } },
      { retentionDays: 90, after: 1, failsAt: { step: 'finish', after: 1 } },
      { retentionDays: 90, after: 2 },
      { retentionDays: 90, after: 2 },
    ],
  ],
]

describe('an import and its tenant’s retention', () => {
  test.each(paths)('the tally of an import %s is what the table holds', async (_, runs) => {
    const given = newImport()
    for (const { retentionDays, after, failsAt } of runs) {
      const importedAt = new Date(start + after * dayMs)
      const run = importFile({ ...given, retentionDays, importedAt, ...(failsAt && { failsAt }) })
      if (failsAt) {
        await expect(run).rejects.toThrow('no further')
        continue
      }
      const result = await run
      const table = await stored(given, retentionDays, importedAt)
      expect(result.stored).toBe(table.readable)
      expect(result.stored + result.expired).toBe(result.reports)
      expect(table).toMatchObject({ ids: table.rows, rollup: table.rows })
    }
  })

  test('what had expired is stored after retention was raised, and removed reports are counted', async () => {
    const given = newImport()
    const at = (after: number) => new Date(start + after * dayMs)
    const from = (retentionDays: number, after: number) => retentionStart(retentionDays, at(after)).getTime()
    const times = [start, ...Array.from({ length: 2 * days }, (_, index) => start - index * (dayMs / 2))]
    const within = (since: number, until = Number.POSITIVE_INFINITY) =>
      times.filter((time) => time >= since && time < until).length

    const first = await importFile({ ...given, retentionDays: 30, importedAt: at(0) })
    expect(first).toMatchObject({ stored: within(from(30, 0)), expired: times.length - within(from(30, 0)) })
    const raised = await importFile({ ...given, retentionDays: 60, importedAt: at(0) })
    expect(raised).toMatchObject({ stored: within(from(60, 0)) })
    expect(raised).not.toHaveProperty('removed')
    const later = await importFile({ ...given, retentionDays: 200, importedAt: at(10) })
    expect(later.removed).toBe(within(from(30, 0), from(30, 10)) + within(from(60, 0), from(60, 10)))
    expect(later.stored).toBe(times.length - (later.removed ?? 0))
  })
})
