import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeSiteToken } from '../../../app/collector/site-address.ts'
import { checkRollups } from '../../../clickhouse/rollups/check-rollups.ts'
import { connect } from '../../../queries/clickhouse/client.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { startTestCollector } from '../../support/collector.ts'
import { newUrl, reportRequest, send, storedOf, temporaryFolders, versionOf } from '../../support/collector-posts.ts'
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

test('a throttled ClickHouse: each post is 204 and stored once, and one insert of a block runs at a time', async () => {
  const inserts: (AbortSignal | undefined)[] = []
  const collector = await startTestCollector(
    { CLICKHOUSE_URL: engine.userUrls.writer, DATA_DIR: await folders.make() },
    {
      waits: false,
      // The first attempts end before their inserts do.
      blocks: { limits: { gatherMs: 50, longestGatherMs: 50 }, timeouts: { attemptMs: 700, longestPauseMs: 500 } },
      replace: (real) => ({
        insert(statement, rows, options) {
          if (statement.startsWith('INSERT INTO reports ')) inserts.push(options?.signal)
          return real.insert(statement, rows, options)
        },
      }),
    },
  )
  const urls: string[] = []
  async function postOne(): Promise<void> {
    const url = newUrl()
    expect(await send(() => fetch(`${collector.url}/r/${token}`, reportRequest(url)))).toMatchObject({ status: 204 })
    urls.push(url)
  }
  await postOne()
  await collector.drained()
  const release = throttle(engine.pid() as number)
  try {
    const outlasted = () => inserts.filter((signal) => signal?.aborted).length
    while (outlasted() < 3 || urls.length < 12) {
      await Promise.all([postOne(), postOne(), postOne()])
      await sleep(200)
    }
  } finally {
    await release()
  }
  await collector.drained()
  await collector.close()
  expect(await storedOf(database, ...urls)).toEqual(urls.map(() => 1))
  expect((await checkRollups(database)).differences).toEqual([])
  expect(await versionOf(database, tenantId)).toBeTypeOf('string')
  const logged = async () => Number((await queryRows(database, withInserts('SELECT count() FROM inserts')))[0]?.[0])
  await expect.poll(logged).toBeGreaterThan(3)
  expect(await queryRows(database, withInserts(overlappingInserts))).toEqual([])
})
