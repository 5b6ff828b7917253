import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { reportInsertSettings } from '../../app/import/reports/clickhouse-report-writer.ts'
import { withRetry } from '../../app/program/with-retry.ts'
import type { Database } from '../../queries/clickhouse/database.ts'
import { sql } from '../../queries/sql/sql.ts'
import {
  type Block,
  blockRows,
  blocksFrom,
  concurrentInserts,
  type Generated,
  generatedColumns,
  generatedReports,
} from './generated-reports.ts'

/** The importer's settings, but with concurrent views: nothing else needs the cores. */
const insertSettings = {
  ...reportInsertSettings,
  max_block_size: String(blockRows),
  parallel_view_processing: 1,
} as const

/**
 * Generates and inserts reports from `firstRow` on inside ClickHouse; deduplication makes each block repeatable.
 * @param onBlock receives the row up to which all are stored.
 */
export async function loadEngine(
  writer: Database,
  generated: Generated,
  firstRow: number,
  onBlock: (rowsStored: number) => Promise<void>,
): Promise<void> {
  const inFlight: { end: number; stored: Promise<unknown> }[] = []
  async function finishFirst(): Promise<void> {
    const first = inFlight.shift()
    if (!first) return
    await first.stored
    await onBlock(first.end)
  }
  try {
    for (const block of blocksFrom(generated, firstRow)) {
      if (inFlight.length === concurrentInserts) await finishFirst()
      const stored = insertBlock(writer, generated, block)
      // finishFirst awaits it later and throws then.
      stored.catch(() => undefined)
      inFlight.push({ end: block.end, stored })
    }
    while (inFlight.length > 0) await finishFirst()
  } finally {
    await Promise.allSettled(inFlight.map(({ stored }) => stored))
  }
}

function insertBlock(writer: Database, generated: Generated, block: Block): Promise<unknown> {
  const rows = generatedReports(generated, block)
  const settings = { ...insertSettings, insert_deduplication_token: `generated-${generated.from}-${block.first}` }
  return withRetry(
    () => writer.command(`INSERT INTO reports (${generatedColumns.join(', ')}) ${rows}`, { settings }),
    undefined,
  )
}

const quietPolls = 5
const pollMs = 2_000

const mergeRow = z.object({ merges: z.int(), parts: z.int() })

/** Resolves after ten seconds without a merge. */
export async function waitForMerges(writer: Database, onPoll: (merges: number, parts: number) => void): Promise<void> {
  for (let quiet = 0; quiet < quietPolls; ) {
    const [polled] = await writer.read({
      name: 'countMerges',
      statement: sql`
        SELECT
          (SELECT count() FROM system.merges) AS merges,
          (SELECT count() FROM system.parts WHERE active AND database = currentDatabase()) AS parts`,
      row: mergeRow,
    })
    quiet = polled?.merges === 0 ? quiet + 1 : 0
    onPoll(polled?.merges ?? 0, polled?.parts ?? 0)
    await sleep(pollMs)
  }
}

const tableRow = z.object({ table: z.string(), rows: z.number(), bytes: z.number(), parts: z.int() })

export type TableSize = z.infer<typeof tableRow>

/** Tables with data, largest first. */
export async function listTableSizes(writer: Database): Promise<TableSize[]> {
  return writer.read({
    name: 'listTableSizes',
    statement: sql`
      SELECT table, sum(rows) AS rows, sum(bytes_on_disk) AS bytes, count() AS parts
      FROM system.parts
      WHERE active AND database = currentDatabase()
      GROUP BY table
      HAVING rows > 1000 OR table = 'reports'
      ORDER BY bytes DESC`,
    row: tableRow,
  })
}
