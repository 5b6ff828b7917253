import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clickHouseReportWriter } from '../../../app/import/reports/clickhouse-report-writer.ts'
import { collectBlocks, type InsertBlock } from '../../../app/import/reports/insert-block.ts'
import { checkRollups } from '../../../clickhouse/rollups/check-rollups.ts'
import { aReport, randomReports } from '../../../fixtures/reports.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { type StoredReport, storedFieldNames, storedFieldRows, textLimits } from '../../../schema/stored-report.ts'
import { queryRows, type TestDatabase } from '../../support/database.ts'
import { createMigratedDatabase } from '../../support/migrated-database.ts'

let db: TestDatabase
let inserts = 0

beforeAll(async () => {
  db = await createMigratedDatabase()
})

afterAll(() => db?.drop())

const bySize = (a: StoredReport, b: StoredReport) => a.receivedAt - b.receivedAt || (a.id < b.id ? -1 : 1)

/** What the table holds of a tenant after an insert of these reports, every field as it was given. */
async function storedAs(reports: readonly StoredReport[], limits = { rows: 65_535, bytes: 10_000_000 }) {
  const collector = collectBlocks(limits)
  const writer = clickHouseReportWriter(db.writer)
  const write = async (block: InsertBlock | undefined) => {
    if (block) await writer.write(block.chunks, `${inserts++}`)
  }
  for (const report of reports) await write(collector.add(report))
  await write(collector.rest())
  const columns = Object.values(storedFieldRows).map(({ column, kind }) =>
    kind === 'time' ? `toUnixTimestamp64Milli(${column})` : column,
  )
  const rows = await queryRows(
    db.writer,
    `SELECT ${columns.join(', ')} FROM reports WHERE tenant_id = '${reports[0]?.tenantId}' ORDER BY received_at, toString(id)`,
  )
  return rows.map((row) => Object.fromEntries(storedFieldNames.map((field, index) => [field, row[index]])))
}

const tenant = (digit: number) => `5ec0de00-0000-4000-8000-0000000010${String(digit).padStart(2, '0')}`

describe('reports written as blocks', () => {
  test('reports written as several blocks are read back as sent', async () => {
    const reports = randomReports({
      seed: 1,
      count: 1_500,
      tenantId: tenant(1),
      siteIds: ['5ec0de00-0000-4000-8000-0000000001aa', 'ffffffff-FFFF-4fff-bfff-fffffffffffe'.toLowerCase()],
      from: new Date('2026-11-01T00:00:00Z'),
      to: new Date('2026-11-20T00:00:00Z'),
    })
    expect(await storedAs(reports, { rows: 700, bytes: 10_000_000 })).toEqual(reports.toSorted(bySize))
  })

  test('insert blocks hold the greatest and the least of every number', async () => {
    const numbers = {
      ageMs: 0xffff_ffff,
      retentionDays: 0xffff,
      weight: 1e12,
      sampleRate: Number.MIN_VALUE,
      lineNumber: 0xffff_ffff,
      columnNumber: 0xffff_ffff,
      statusCode: 999,
      elapsedMs: 0xffff_ffff,
      anticipatedRemoval: Date.UTC(2200, 0, 1) - 1,
      isTopLevel: true,
      noise: true,
    }
    const least = { ...numbers, ageMs: 0, lineNumber: 0, columnNumber: 0, statusCode: 0, elapsedMs: 0 }
    const id = (digit: number) => `ffffffff-0123-7456-89ab-cdefedcba98${digit}`
    const reports = [
      aReport({ tenantId: tenant(2), id: id(1), ...numbers }),
      aReport({ tenantId: tenant(2), id: id(2), ...least, anticipatedRemoval: 1, isTopLevel: false, noise: false }),
      aReport({ tenantId: tenant(2), id: id(3), elapsedMs: null, anticipatedRemoval: null, isTopLevel: null }),
      aReport({ tenantId: tenant(2), id: id(4), receivedAt: Date.now(), weight: 2 ** 32, ageMs: 1 }),
    ]
    expect(await storedAs(reports)).toEqual(reports)
  })

  test.each(['x', 'é', '€', '😀', '\\', '\t', '\n', '\0', "'"])(
    'keep texts of %j as long as they can be',
    async (text) => {
      const tenantId = tenant(10 + (text.charCodeAt(0) % 89))
      const long = Object.fromEntries(
        Object.entries(textLimits).map(([field, limit]) => [field, text.repeat(Math.floor(limit / text.length))]),
      )
      const short = Object.fromEntries(Object.keys(textLimits).map((field) => [field, `${text}${field}`]))
      const reports = [long, {}, short, long].map((texts, index) =>
        aReport({ ...texts, tenantId, id: `019aa000-0000-7000-8000-00000000000${index}` }),
      )
      expect(await storedAs(reports)).toEqual(reports)
    },
  )

  test('insert blocks hold as many distinct words as rows', async () => {
    const tenantId = tenant(3)
    const report = aReport({ tenantId })
    const collector = collectBlocks({ rows: 65_535, bytes: 100_000_000 })
    const blocks = Array.from({ length: 65_535 }, (_, lineNumber) =>
      collector.add({ ...report, lineNumber, blockedHost: `host-${lineNumber}` }),
    ).filter((block) => block !== undefined)
    expect(blocks.map(({ rows }) => rows)).toEqual([65_535])
    await clickHouseReportWriter(db.writer).write(blocks[0]?.chunks ?? [], `${inserts++}`)
    const right = `countIf(blocked_host = concat('host-', toString(line_number))), uniqExact(line_number)`
    expect(await queryRows(db.writer, `SELECT ${right} FROM reports WHERE tenant_id = '${tenantId}'`)).toEqual([
      [65_535, 65_535],
    ])
  })
})

describe('an insert', () => {
  const blockOf = (tenantId: string, rows: number) => {
    const collector = collectBlocks({ rows: 65_535, bytes: 100_000_000 })
    const reports = randomReports({
      seed: 2,
      count: rows,
      tenantId,
      siteIds: ['5ec0de00-0000-4000-8000-0000000001aa'],
      from: new Date('2026-10-01T00:00:00Z'),
      to: new Date('2026-11-20T00:00:00Z'),
    })
    for (const report of reports) collector.add(report)
    return collector.rest()?.chunks ?? []
  }
  const counts = async (tenantId: string) => {
    const [row = []] = await queryRows(db.writer, `SELECT count() FROM reports WHERE tenant_id = '${tenantId}'`)
    const { different } = await checkRollups(db.writer, { tenantId })
    return { rows: row[0], different }
  }

  test('an insert sent twice is once in the table and in every rollup', async () => {
    const [tenantId, token] = [tenant(4), `${inserts++}`]
    const rows = blockOf(tenantId, 3_000)
    for (let run = 0; run < 2; run++) await clickHouseReportWriter(db.writer).write(rows, token)
    expect(await counts(tenantId)).toEqual({ rows: 3_000, different: 0 })
  })

  test('an insert that is cut off stores no row, and every row when it is repeated', async () => {
    const [tenantId, token] = [tenant(5), `${inserts++}`]
    const rows = blockOf(tenantId, 3_000)
    const cutOff: Pick<Database, 'insert'> = {
      insert: (statement, _rows, options) =>
        db.writer.insert(statement, Readable.from(half(rows), { objectMode: false }), options),
    }
    await expect(clickHouseReportWriter(cutOff).write([], token)).rejects.toThrow('cut off')
    // What the server makes of the half, it has made then.
    const running = `SELECT count() FROM system.processes WHERE query_kind = 'Insert' AND current_database = currentDatabase()`
    await expect.poll(() => queryRows(db.writer, running)).toEqual([[0]])
    expect(await counts(tenantId)).toEqual({ rows: 0, different: 0 })
    await clickHouseReportWriter(db.writer).write(rows, token)
    expect(await counts(tenantId)).toEqual({ rows: 3_000, different: 0 })
  })
})

async function* half(rows: readonly Buffer[]): AsyncGenerator<Buffer> {
  const all = Buffer.concat(rows)
  yield all.subarray(0, all.indexOf('\n', all.length / 2) + 1)
  await sleep(200)
  throw new Error('cut off')
}
