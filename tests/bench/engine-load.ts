import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { reportInsertSettings } from '../../app/import/reports/clickhouse-report-writer.ts'
import { withRetry } from '../../app/import/with-retry.ts'
import type { Database } from '../../queries/clickhouse/client.ts'
import { sql } from '../../queries/sql/sql.ts'
import {
  type Block,
  blockRows,
  blocksFrom,
  type Generated,
  generatedColumns,
  generatedReports,
  insertsAtOnce,
} from './generated-reports.ts'

/** As the importer inserts, but for the views: they run side by side, because nothing else needs the cores. */
const insertSettings = {
  ...reportInsertSettings,
  max_block_size: String(blockRows),
  parallel_view_processing: 1,
} as const

/**
 * Inserts reports from `firstRow` on, inside the engine; a block that was cut off can be sent again.
 * @param onBlock hears up to which row all are stored.
 */
export async function loadEngine(
  writer: Database,
  generated: Generated,
  firstRow: number,
  onBlock: (rowsStored: number) => Promise<void>,
): Promise<void> {
  const underWay: { end: number; stored: Promise<unknown> }[] = []
  async function finishFirst(): Promise<void> {
    const first = underWay.shift()
    if (!first) return
    await first.stored
    await onBlock(first.end)
  }
  try {
    for (const block of blocksFrom(generated, firstRow)) {
      if (underWay.length === insertsAtOnce) await finishFirst()
      const stored = insertBlock(writer, generated, block)
      // Heard when its turn comes.
      stored.catch(() => {})
      underWay.push({ end: block.end, stored })
    }
    while (underWay.length > 0) await finishFirst()
  } finally {
    await Promise.allSettled(underWay.map(({ stored }) => stored))
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
const pollMilliseconds = 2_000

const mergeRow = z.object({ merges: z.int(), parts: z.int() })

/** Waits until the engine has merged what it merges by itself: no merge for ten seconds. */
export async function waitForMerges(writer: Database, onPoll: (merges: number, parts: number) => void): Promise<void> {
  for (let quiet = 0; quiet < quietPolls; ) {
    const [now] = await writer.read({
      name: 'countMerges',
      statement: sql`SELECT (SELECT count() FROM system.merges) AS merges, (SELECT count() FROM system.parts WHERE active AND database = currentDatabase()) AS parts`,
      row: mergeRow,
    })
    quiet = now?.merges === 0 ? quiet + 1 : 0
    onPoll(now?.merges ?? 0, now?.parts ?? 0)
    await sleep(pollMilliseconds)
  }
}

const tableRow = z.object({ table: z.string(), rows: z.number(), bytes: z.number(), parts: z.int() })

/** A table as it lies on disk. */
export type TableSize = z.infer<typeof tableRow>

/** Every table of reports, the largest first. */
export async function listTableSizes(writer: Database): Promise<TableSize[]> {
  return writer.read({
    name: 'listTableSizes',
    statement: sql`SELECT table, sum(rows) AS rows, sum(bytes_on_disk) AS bytes, count() AS parts FROM system.parts WHERE active AND database = currentDatabase() GROUP BY table HAVING rows > 1000 OR table = 'reports' ORDER BY bytes DESC`,
    row: tableRow,
  })
}
