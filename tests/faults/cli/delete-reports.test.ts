import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeSiteToken } from '../../../app/collector/site-address.ts'
import { checkRollups } from '../../../clickhouse/rollups/check-rollups.ts'
import { randomReports } from '../../../fixtures/reports.ts'
import { dayMs } from '../../../schema/durations.ts'
import { storedTypeNames } from '../../../schema/report-types.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { startCli } from '../../support/cli.ts'
import { startTestCollector, type TestCollector } from '../../support/collector.ts'
import { queryRows, type TestDatabase } from '../../support/database.ts'
import { createMigratedDatabase } from '../../support/migrated-database.ts'

const seed = Date.now() % 1_000_000_007
const span = { from: new Date(Date.now() - 40 * dayMs), to: new Date(Date.now() - dayMs) }

let database: TestDatabase
let api: TestApi
let collector: TestCollector

beforeAll(async () => {
  database = await createMigratedDatabase()
  api = await startApi(database)
  collector = await startTestCollector({ CLICKHOUSE_URL: database.writeUrl })
})

afterAll(async () => {
  await Promise.all([api?.close(), collector?.close()])
  await database?.drop()
})

const count = async (where: string) =>
  Number((await queryRows(database.writer, `SELECT count() FROM reports WHERE ${where}`))[0]?.[0])

test(`deletions that are killed at any time are completed beside a posting collector (seed ${seed})`, async () => {
  const tenantId = await api.createTenant()
  const token = makeSiteToken()
  const siteId = await api.createSite(tenantId, { hosts: ['posts.test'], token })
  const siteIds = [siteId, ...(await api.createSites(tenantId, 1))]
  const given = { ...span, reportTypes: storedTypeNames, tenantId, siteIds }
  await api.insertReports([
    ...randomReports({ ...given, count: 300, seed, retentionDays: 90 }),
    ...randomReports({ ...given, count: 100, seed: seed + 1, retentionDays: 60 }),
  ])
  let [isStopped, posted] = [false, 0]
  const posting = (async () => {
    while (!isStopped) {
      const url = `https://posts.test/${posted % 5}`
      const body = { reason: 'oom' }
      expect((await collector.post(token, [{ type: 'crash', age: 1, url, body }])).status).toBe(204)
      posted++
      await sleep(1_500)
    }
  })()
  const filters = [
    { words: ['--browser-name', 'Chrome'], where: "browser_name = 'Chrome'" },
    { words: ['--type', 'csp-hash'], where: "report_type = 'csp-hash'" },
    { words: ['--site', siteIds[1] as string, '--purge'], where: `site_id = '${siteIds[1]}'` },
  ]
  for (const [index, { words, where }] of filters.entries()) {
    const matching = `tenant_id = '${tenantId}' AND received_at < '${span.to.toISOString().slice(0, 19)}' AND ${where}`
    const others = `tenant_id = '${tenantId}' AND received_at < '${span.to.toISOString().slice(0, 19)}' AND NOT (${where})`
    const stays = await count(others)
    expect(await count(matching)).toBeGreaterThan(0)
    const all = ['reports', 'delete', '--tenant', tenantId, '--to', `${span.to.toISOString().slice(0, 19)}Z`, ...words]
    const run = () => startCli(all, { environment: { CLICKHOUSE_URL: database.writeUrl } })
    for (let kills = 0; kills < 3; kills++) {
      const command = run()
      const isAlive = await Promise.race([
        command.ended.then(() => false),
        sleep(2_000 + 1_500 * kills + 700 * index, true),
      ])
      command.kill('SIGKILL')
      await command.ended
      if (!isAlive) break
    }
    // The lease and the hold of a killed command end after 30 s.
    await expect.poll(async () => (await run().ended).code, { interval: 5_000 }).toBe(0)
    expect(await count(matching)).toBe(0)
    expect(await count(others)).toBe(stays)
  }
  isStopped = true
  await posting
  expect(await count(`site_id = '${siteId}' AND document_host = 'posts.test'`)).toBe(posted)
  expect((await checkRollups(database.writer, { tenantId })).differences).toEqual([])
  const work = "SELECT name FROM system.tables WHERE database = currentDatabase() AND name LIKE '%retract%'"
  expect(await queryRows(database.writer, work)).toEqual([])
})
