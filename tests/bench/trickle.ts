/** @module What a few posts a second cost ClickHouse: a block costs much, a report little. */

import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { rowCount } from '../../queries/sql/rows.ts'
import { sql } from '../../queries/sql/sql.ts'
import { type CollectorTarget, sendPosts } from './collector-target.ts'
import { waitForMerges } from './engine-load.ts'
import { percentile } from './percentile.ts'
import { toTable } from './print-results.ts'
import { printLine } from './run-command.ts'
import { cpuOf } from './watch-process.ts'
import { watchThreads } from './watch-threads.ts'

const rates = [0, 0.5, 2, 10, 50] as const

/** Above the longest wait of a report, so that the first post of a rate comes after a quiet moment. */
const quietMs = 8_000
const mostThreads = 5

const head = [
  'posts/s',
  'ClickHouse',
  'collector',
  'blocks',
  'CPU s a block',
  'first s',
  'p50 s',
  'p99 s',
  'not 204',
  'parts',
  'by thread',
]

/** Prints a row per rate. @return whether every post was 204. */
export async function measureTrickle(target: CollectorTarget, seconds: number): Promise<boolean> {
  const rows: string[][] = []
  let isMet = true
  for (const postsPerSecond of rates) {
    await waitForMerges(target.database, () => {})
    await sleep(quietMs)
    printLine(`${postsPerSecond} posts a second of one report for ${seconds} s`)
    const blocksBefore = await countBlocks(target)
    const [engineBefore, collectorBefore, startedAt] = [cpuOf(target.enginePid), cpuOf(target.pid), performance.now()]
    const { result, cpuMs } = await watchThreads(target.enginePid, () =>
      sendPosts(target, { postsPerSecond, reportsPerPost: 1 }, seconds),
    )
    const elapsedMs = performance.now() - startedAt
    const engineMs = cpuOf(target.enginePid) - engineBefore
    const collectorMs = cpuOf(target.pid) - collectorBefore
    const blocks = (await countBlocks(target)) - blocksBefore
    const { latencies, others } = result
    isMet &&= others === 0
    rows.push([
      String(postsPerSecond),
      toShare(engineMs, elapsedMs),
      toShare(collectorMs, elapsedMs),
      String(blocks),
      blocks === 0 ? '' : (engineMs / blocks / 1000).toFixed(2),
      ...(latencies.length === 0
        ? ['', '', '']
        : [latencies[0] as number, percentile(latencies, 0.5), percentile(latencies, 0.99)].map(toSeconds)),
      String(others),
      await mostParts(target),
      [...cpuMs]
        .sort(([, first], [, second]) => second - first)
        .slice(0, mostThreads)
        .map(([name, ms]) => `${name} ${toShare(ms, elapsedMs)}`)
        .join(', '),
    ])
  }
  process.stdout.write(`${toTable([head, ...rows])}\n${isMet ? 'met' : 'MISSED'}\n`)
  return isMet
}

/** Of one core. */
const toShare = (cpuMs: number, elapsedMs: number) => `${((100 * cpuMs) / elapsedMs).toFixed(1)} %`

const toSeconds = (milliseconds: number) => (milliseconds / 1000).toFixed(2)

async function countBlocks({ url }: CollectorTarget): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(/^collector_block_reports_count (\d+)$/m.exec(text)?.[1] ?? 0)
}

/** Most active parts of a rollup or of the reports, and their sum over all tables. */
async function mostParts({ database }: CollectorTarget): Promise<string> {
  const [parts] = await database.read({
    name: 'countParts',
    statement: sql`
      SELECT max(parts) AS most, sum(parts) AS total
      FROM
      (
        SELECT count() AS parts
        FROM system.parts
        WHERE active AND database = currentDatabase()
        GROUP BY table
      )`,
    row: z.object({ most: rowCount, total: rowCount }),
    pool: 'maintenance',
  })
  return `${parts?.most} of ${parts?.total}`
}
