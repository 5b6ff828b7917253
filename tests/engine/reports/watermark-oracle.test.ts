/**
 * @module Random histories of blocks on a clock of their own: begun and repeated, ended late or never, on servers whose
 * clocks differ. `age_ms` is how long after its place in the order of storing a report is visible, and the tolerance.
 */

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { z } from 'zod'
import { findStoredExport } from '../../../app/endpoints/reports/stored-export.ts'
import { type Seeded, seeded } from '../../../fixtures/seeded.ts'
import { uuidV7 } from '../../../fixtures/uuid-v7.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { insertRows } from '../../../queries/clickhouse/insert-rows.ts'
import { exportReports } from '../../../queries/reports/export-reports.ts'
import type { StoredPosition } from '../../../queries/reports/stored-order.ts'
import type { Query, Read } from '../../../queries/sql/query.ts'
import { toClickHouseTime } from '../../../queries/sql/sql.ts'
import { clockToleranceMs, dayMs, hourMs, longestInsertMs, minuteMs, startedStepMs } from '../../../schema/durations.ts'
import { endOfTimes } from '../../../schema/params.ts'
import { numberOfCases } from '../../support/number-of-cases.ts'
import { connectPatiently } from '../../support/patience.ts'

const start = Date.now() - 4 * hourMs
const histories = numberOfCases(6)
const filter = { reportType: 'csp-violation', terms: [] } as const
const window = { from: start - 20 * dayMs, to: endOfTimes }

let writer: Database
beforeAll(() => {
  writer = connectPatiently(inject('servers').writeUrl)
})
afterAll(() => writer?.close())

interface History {
  readonly tenantId: string
  readonly reports: { readonly id: string; readonly storedAt: number; readonly visibleAt: number }[]
  readonly steps: { readonly token: string; readonly state: string; readonly recordedAt: number }[]
  endsAt: number
}

function draw(random: Seeded): History {
  const history: History = { tenantId: randomUUID(), reports: [], steps: [], endsAt: start }
  const upTo = (ms: number) => random.between(0, ms)
  // Of a server whose clock differs from another's by less than the tolerance.
  const clock = (time: number) => time + upTo(clockToleranceMs - 2) - clockToleranceMs / 2
  for (const token of ['collector a', 'collector b', 'import']) {
    for (let now = start + upTo(10 * minuteMs), block = 0; block < 4; block++, now += upTo(5 * minuteMs)) {
      let [stepped, storedBy] = [Number.NEGATIVE_INFINITY, 0]
      for (
        let attempt = upTo(3);
        attempt >= 0;
        attempt--, now += random.chance(0.3) ? upTo(20 * minuteMs) : upTo(minuteMs)
      ) {
        if (now - stepped > startedStepMs) {
          history.steps.push({ token, state: 'started', recordedAt: clock(now) })
          stepped = now
        }
        const storedAt = clock(now)
        const visibleAt = now + (random.chance(0.3) ? longestInsertMs - upTo(2 * minuteMs) : upTo(2_000))
        // An attempt can fail before it stores anything.
        const reports = attempt > 0 ? upTo(1) : 2
        for (let n = 0; n < reports; n++) {
          history.reports.push({ id: uuidV7(start - upTo(10 * dayMs), random), storedAt, visibleAt })
        }
        storedBy = Math.max(storedBy, visibleAt)
        // ClickHouse can store an attempt that its client has given up.
        now += upTo(visibleAt - now)
      }
      now = Math.max(now, storedBy)
      if (random.chance(0.8)) history.steps.push({ token, state: 'done', recordedAt: clock(now + 3) })
      history.endsAt = Math.max(history.endsAt, now)
    }
  }
  return history
}

/** Reads what was visible at a time, by that clock. */
function readAt(time: number): Read {
  const now = `fromUnixTimestamp64Milli(${time}, 'UTC')`
  const past = (text: string) =>
    text
      .replaceAll('now64(3)', now)
      .replace('FROM import_log_by_time', `FROM (SELECT * FROM import_log_by_time WHERE recorded_at <= ${now})`)
      .replace(
        'FROM reports',
        `FROM (SELECT * FROM reports WHERE stored_at + toIntervalMillisecond(age_ms) - toIntervalMillisecond(${clockToleranceMs}) <= ${now}) AS reports`,
      )
  return (query) => {
    const statement = { ...query.statement, strings: query.statement.strings.map(past) }
    return writer.read({ ...query, statement, pool: 'query' })
  }
}

const listExported = (...given: Parameters<typeof exportReports>): Query<{ id: string }> => ({
  name: 'listExported',
  statement: exportReports(...given).statement,
  row: z.object({ id: z.guid() }),
})

test('exports at any moments have every report once, in the order of storing', async () => {
  const random = seeded(Number(process.env.SEED ?? Date.now()))
  const drawn = Array.from({ length: histories }, () => draw(random))
  const shared = { report_type: 'csp-violation', retention_days: 365, weight: 1_000_000, sample_rate: 1 }
  const reports = drawn.flatMap((history) =>
    history.reports.map(({ id, storedAt, visibleAt }) => ({
      ...shared,
      tenant_id: history.tenantId,
      id,
      received_at: toClickHouseTime(new Date(Number.parseInt(id.replace('-', '').slice(0, 12), 16))),
      stored_at: toClickHouseTime(new Date(storedAt)),
      age_ms: visibleAt - storedAt + clockToleranceMs,
    })),
  )
  const steps = drawn.flatMap(({ tenantId, steps }) =>
    steps.map(({ token, state, recordedAt }) => {
      return { tenant_id: tenantId, token, state, recorded_at: toClickHouseTime(new Date(recordedAt)) }
    }),
  )
  await insertRows(writer, 'reports', reports)
  await insertRows(writer, 'import_log_by_time', steps)

  for (const { tenantId, reports, steps, endsAt } of drawn) {
    const found: string[] = []
    let after: StoredPosition = { storedAt: start - hourMs, last: null }
    const pull = async (now: number, limit: number | undefined) => {
      const { reportCount, range } = await findStoredExport({
        read: readAt(now),
        tenantId,
        window,
        filter,
        after,
        limit,
      })
      // Nothing that is stored during the export is in it.
      const options = { fields: ['id'], format: 'ndjson', stored: range } as const
      const rows =
        reportCount === 0 ? [] : await readAt(now + minuteMs)(listExported(tenantId, window, filter, options))
      expect(rows).toHaveLength(reportCount)
      found.push(...rows.map(({ id }) => id))
      after = range.upTo
    }
    // Most just after a step.
    const moments = Array.from({ length: 12 }, () => random.pick(steps).recordedAt + random.between(0, minuteMs))
    moments.sort((a, b) => a - b)
    for (const now of moments) await pull(now, random.chance(0.5) ? random.between(1, 4) : undefined)
    await pull(endsAt + 11 * minuteMs, undefined)
    expect(found.toSorted()).toEqual(reports.map(({ id }) => id).toSorted())
    const places = new Map(reports.map(({ id, storedAt }) => [id, storedAt]))
    expect(found).toEqual(found.toSorted((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0)))
  }
})
