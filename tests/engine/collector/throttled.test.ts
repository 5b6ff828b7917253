import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { settleInsert } from '../../../app/collector/settle-insert.ts'
import { makeSiteToken } from '../../../app/collector/site-address.ts'
import { clickHouseReportWriter } from '../../../app/import/reports/clickhouse-report-writer.ts'
import { checkRollups } from '../../../clickhouse/rollups/check-rollups.ts'
import { connect } from '../../../queries/clickhouse/client.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { newUrl, openCollector, storedOf, temporaryFolders, versionOf } from '../../support/collector-posts.ts'
import { queryRows } from '../../support/database.ts'
import type { TestEngine } from '../../support/engine.ts'
import { startMigratedEngine } from '../../support/migrated-engine.ts'
import { createTenantWriter } from '../../support/tenants.ts'

let engine: TestEngine
let database: Database
let tenantId: string
const token = makeSiteToken()
const folders = temporaryFolders()

beforeAll(async () => {
  engine = await startMigratedEngine()
  database = connect(engine.userUrls.writer)
  const writer = createTenantWriter(database)
  tenantId = await writer.createTenant()
  await writer.createSite(tenantId, { hosts: ['shop.example'], token })
})

afterAll(async () => {
  await database?.close()
  await engine?.end()
  await folders.remove()
})

/** The engine runs for a tenth of the time. */
function throttle(pid: number) {
  let isOver = false
  async function run(): Promise<void> {
    while (!isOver) {
      process.kill(pid, 'SIGSTOP')
      await sleep(450)
      process.kill(pid, 'SIGCONT')
      await sleep(50)
    }
  }
  const running = run()
  return async () => {
    isOver = true
    await running
  }
}

/** Inserts of reports that ran beside another of their token. */
const overlappingInserts = `
  SELECT a.query_id
  FROM inserts AS a
  INNER JOIN inserts AS b ON a.token = b.token
  WHERE (a.began, a.ended) < (b.began, b.ended) AND b.began < a.ended`

const withInserts = (statement: string) => `
  WITH inserts AS (
    SELECT Settings['insert_deduplication_token'] AS token, query_id, query_start_time_microseconds AS began,
      event_time_microseconds AS ended
    FROM system.query_log
    WHERE type IN ('QueryFinish', 'ExceptionWhileProcessing') AND startsWith(query, 'INSERT INTO reports ')
  )
  ${statement}`

test('a throttled ClickHouse: a 204 is stored once, a 503 is not, and one insert of a block runs at a time', async () => {
  const hour = 3_600_000
  const inserts: (AbortSignal | undefined)[] = []
  const writer = clickHouseReportWriter(database)
  const { store, post } = await openCollector(database, await folders.make(), {
    limits: { gatherMs: 50, queueTimeoutMs: hour },
    // Inserts outlast theirs; all else has its time.
    timeouts: { startTimeoutMs: hour, insertTimeoutMs: 1_000, settleTimeoutMs: hour, doneTimeoutMs: hour },
    settle: settleInsert(database, { lateMs: 60_000 }),
    writer: {
      write(rows, blockToken, signal) {
        inserts.push(signal)
        return writer.write(rows, blockToken, signal)
      },
    },
  })
  const results: { readonly url: string; readonly status: number }[] = []
  async function postOne(): Promise<void> {
    const url = newUrl()
    results.push({ url, status: (await post(token, url)).status })
  }
  await postOne()
  const release = throttle(engine.pid() as number)
  try {
    const outlasted = () => inserts.filter((signal) => signal?.aborted).length
    while (outlasted() < 3 || results.length < 12) {
      await Promise.all([postOne(), postOne(), postOne()])
      await expect.poll(store.isReady).toBe(true)
    }
  } finally {
    await release()
  }
  await expect.poll(store.isReady).toBe(true)
  await store.close()
  const stored = await storedOf(database, ...results.map(({ url }) => url))
  expect(stored).toEqual(results.map(({ status }) => (status === 204 ? 1 : 0)))
  expect((await checkRollups(database)).differences).toEqual([])
  expect(await versionOf(database, tenantId)).toBeTypeOf('string')
  const logged = async () => Number((await queryRows(database, withInserts('SELECT count() FROM inserts')))[0]?.[0])
  await expect.poll(logged).toBeGreaterThan(3)
  expect(await queryRows(database, withInserts(overlappingInserts))).toEqual([])
})
