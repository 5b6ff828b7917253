/** @module What a few posts a second cost ClickHouse: a block costs much, a report little. */

import { rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { isInMemory, writeSynced } from '../../app/program/write-synced.ts'
import { rowCount } from '../../queries/sql/rows.ts'
import { at, sql } from '../../queries/sql/sql.ts'
import { type CollectorTarget, sendPosts } from './collector-target.ts'
import { waitForMerges } from './engine-load.ts'
import { percentile } from './percentile.ts'
import { toTable } from './print-results.ts'
import { printLine } from './run-command.ts'
import { cpuOf } from './watch-process.ts'
import { watchThreads } from './watch-threads.ts'

const rates = [0, 0.5, 2, 10, 50, 500] as const

/** Above the longest wait of a report, so that the first post of a rate comes after a quiet moment. */
const quietMs = 8_000
const mostThreads = 5

const head = [
  'posts/s',
  'ClickHouse',
  'collector',
  'blocks',
  'CPU s a block',
  'first ms',
  'p50 ms',
  'p99 ms',
  'stored p50 s',
  'stored p99 s',
  'not 204',
  'parts',
  'by thread',
]

/** By Linux' statfs(2). */
const fileSystems = new Map([
  [0xef53, 'ext4'],
  [0x5846_5342, 'xfs'],
  [0x9123_683e, 'btrfs'],
  [0x794c_7630, 'overlayfs'],
])

/** Throws on tmpfs, where a sync costs nothing. */
async function printDisk(folder: string): Promise<void> {
  if (await isInMemory(folder)) throw new Error(`${folder} is on tmpfs: set TMPDIR to a folder on a disk`)
  const { type } = await statfs(folder)
  const times: number[] = []
  for (let sync = 0; sync < 20; sync++) {
    const startedAt = performance.now()
    await writeSynced(join(folder, 'sync.new'), join(folder, 'sync'), [Buffer.alloc(1_000)])
    times.push(performance.now() - startedAt)
  }
  await rm(join(folder, 'sync'))
  const name = fileSystems.get(type) ?? `0x${type.toString(16)}`
  printLine(
    `${folder} is on ${name}; a synced file of 1 kB takes ${percentile(times, 0.5).toFixed(1)} ms (median of 20)`,
  )
}

/** Prints a row per rate. @return whether every post was 204. */
export async function measureTrickle(target: CollectorTarget, seconds: number): Promise<boolean> {
  await printDisk(target.dataDir)
  const rows: string[][] = []
  let isMet = true
  for (const postsPerSecond of rates) {
    await waitForMerges(target.database, () => {})
    await sleep(quietMs)
    printLine(`${postsPerSecond} posts a second of one report for ${seconds} s`)
    const blocksBefore = await countBlocks(target)
    const since = new Date()
    const [engineBefore, collectorBefore, startedAt] = [cpuOf(target.enginePid), cpuOf(target.pid), performance.now()]
    const { result, cpuMs } = await watchThreads(target.enginePid, () =>
      sendPosts(target, { postsPerSecond, reportsPerPost: 1 }, seconds),
    )
    const elapsedMs = performance.now() - startedAt
    const engineMs = cpuOf(target.enginePid) - engineBefore
    const collectorMs = cpuOf(target.pid) - collectorBefore
    const blocks = (await countBlocks(target)) - blocksBefore
    await sleep(quietMs)
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
        : [latencies[0] as number, percentile(latencies, 0.5), percentile(latencies, 0.99)].map((ms) => ms.toFixed(1))),
      ...(await delaysSince(target, since)),
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

/** From the receipt of each report to the `done` step of its block, after which no response lacks it. */
async function delaysSince({ database }: CollectorTarget, since: Date): Promise<string[]> {
  const [found] = await database.read({
    name: 'findDelays',
    statement: sql`
      SELECT quantileExact(0.5)(delay) AS median, quantileExact(0.99)(delay) AS p99
      FROM
      (
        SELECT dateDiff('millisecond', r.received_at, b.done) / 1000 AS delay
        FROM (SELECT tenant_id, received_at FROM reports WHERE received_at > ${at(since)}) AS r
        ASOF INNER JOIN
        (
          SELECT s.tenant_id AS tenant_id, s.recorded_at AS started, min(d.recorded_at) AS done
          FROM (SELECT * FROM import_log_by_time WHERE state = 'started' AND startsWith(token, 'collector ')) AS s
          INNER JOIN (SELECT * FROM import_log_by_time WHERE state = 'done') AS d ON d.token = s.token AND d.tenant_id = s.tenant_id
          WHERE d.recorded_at >= s.recorded_at
          GROUP BY tenant_id, started
        ) AS b ON r.tenant_id = b.tenant_id AND r.received_at <= b.started
      )`,
    row: z.object({ median: z.number().nullable(), p99: z.number().nullable() }),
    pool: 'maintenance',
  })
  return [found?.median, found?.p99].map((seconds) => seconds?.toFixed(2) ?? '')
}

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
