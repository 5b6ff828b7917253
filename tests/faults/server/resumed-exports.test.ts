/** @module Exports in the order of storing, while the collector, the engine, the API and the command are killed. */

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeSiteToken } from '../../../app/collector/site-address.ts'
import { isTransient } from '../../../app/program/with-retry.ts'
import { seeded } from '../../../fixtures/seeded.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { clockToleranceMs } from '../../../schema/durations.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { startCli } from '../../support/cli.ts'
import { newUrl, reportRequest } from '../../support/collector-posts.ts'
import { queryRows } from '../../support/database.ts'
import type { TestEngine } from '../../support/engine.ts'
import { freePort } from '../../support/free-port.ts'
import { importFile } from '../../support/import-file.ts'
import { startMigratedEngine } from '../../support/migrated-engine.ts'
import { connectPatiently } from '../../support/patience.ts'
import { newImport, posts } from '../../support/posts-file.ts'
import { type SpawnedScript, spawnScript } from '../../support/spawn-script.ts'
import type { TestKey } from '../../support/tenants.ts'

/** 1,000 exports take about 15 minutes: `EXPORTS=1000 npm run test:faults -- tests/faults/server/resumed-exports.test.ts`. */
const wantedExports = Number(process.env.EXPORTS ?? 40)
const kills = Math.ceil(wantedExports / 10)
const random = seeded(Number(process.env.SEED ?? Date.now()))

let engine: TestEngine
let database: Database
let api: TestApi
let tenantId: string
let siteId: string
let key: TestKey
const token = makeSiteToken()
const folder = mkdtempSync(join(tmpdir(), 'resumed-exports-'))

beforeAll(async () => {
  engine = await startMigratedEngine()
  database = connectPatiently(engine.userUrls.writer)
  api = await openApi()
  tenantId = await api.createTenant({ overrides: { keyLimit: 1_000_000, tenantLimit: 1_000_000 } })
  siteId = await api.createSite(tenantId, { hosts: ['shop.example'], token })
  key = await api.createKey(tenantId)
})
afterAll(async () => {
  await Promise.all([api?.close(), database?.close()])
  await engine?.end()
  rmSync(folder, { recursive: true, force: true })
})

const openApi = () => startApi({ readUrl: engine.userUrls.reader, writeUrl: engine.userUrls.writer })

async function storedIds(): Promise<unknown[]> {
  const statement = `SELECT toString(id) FROM reports WHERE tenant_id = '${tenantId}' AND report_type = 'csp-violation'`
  return (await queryRows(database, statement)).flat().sort()
}

/** Imports posts of months ago, again after each error that is transient. */
async function importOld(round: number): Promise<void> {
  const first = (round % 60) * 300
  const lines = posts(first, first + 300, `shop${round}.test`)
  const given = newImport(engine.userUrls.writer, `old ${round}.ndjson`, lines)
  const own = { ...given, tenantId, sites: [], siteId }
  while (
    !(await importFile(own).catch((error: unknown) => {
      if (!isTransient(error)) throw error
      return undefined
    }))
  );
}

test('all exports together have every report once', async () => {
  const found: string[] = []
  let after: string | undefined
  let isDone = false
  const port = String(await freePort())
  const environment = {
    CLICKHOUSE_URL: engine.userUrls.writer,
    DATA_DIR: join(folder, 'collector'),
    LOG_LEVEL: 'silent',
  }
  const ports = { COLLECTOR_PORT: port, COLLECTOR_METRICS_PORT: '0' }
  async function startCollector(): Promise<SpawnedScript> {
    const started = spawnScript('app/collect.ts', [], { ...environment, ...ports })
    await started.printed(/^Collecting reports/m)
    return started
  }

  async function exportOnce(limit: number | undefined): Promise<number | undefined> {
    const query = new URLSearchParams({ order: 'stored', ...(limit && { limit: String(limit) }) })
    query.set(after === undefined ? 'last' : 'after', after ?? '7d')
    // A killed engine or API is an error or an incomplete body.
    const response = await api.get(`/v1/reports/export?${query}`, { key }).catch(() => undefined)
    if (response?.status !== 200) return undefined
    const lines = response.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    const { end } = lines.pop()
    expect(end.reports).toBe(lines.length)
    found.push(...lines.map(({ id }) => id))
    after = end.next
    return lines.length
  }
  async function exporting(): Promise<void> {
    for (let exports = 0; exports < wantedExports; ) {
      await sleep(random.between(0, 800))
      if ((await exportOnce(random.chance(0.5) ? random.between(1, 300) : undefined)) !== undefined) exports++
    }
    isDone = true
  }
  async function posting(): Promise<void> {
    while (!isDone) {
      await Promise.all([
        sleep(33),
        fetch(`http://127.0.0.1:${port}/r/${token}`, reportRequest(newUrl())).catch(() => {}),
      ])
    }
  }
  async function importing(): Promise<void> {
    for (let round = 0; !isDone; round++) await importOld(round)
  }
  async function killing(): Promise<void> {
    for (let kill = 0; kill < kills && !isDone; kill++) {
      await sleep(random.between(2_000, 5_000))
      const victim = kill % 3
      if (victim === 0) {
        const pid = engine.pid()
        if (pid !== undefined) process.kill(pid, 'SIGKILL')
      } else if (victim === 1) {
        collector.child.kill('SIGKILL')
        await collector.ended()
        collector = await startCollector()
      } else {
        const killed = api
        api = await openApi()
        await killed.close()
      }
    }
  }

  let collector = await startCollector()
  await Promise.all([exporting(), posting(), importing(), killing()])
  collector.child.kill('SIGTERM')
  await collector.ended()
  await sleep(clockToleranceMs + 100)
  for (let reports = 1; reports > 0; ) reports = (await exportOnce(undefined)) ?? 1
  const expected = await storedIds()
  expect(found.toSorted()).toEqual(expected)
  process.stderr.write(`${wantedExports} exports, ${kills} kills, ${found.length} reports\n`)
})

test('files of a command that is killed at any moment have every report once', async () => {
  const to = join(folder, 'files')
  const type = ['--type', 'csp-violation', '--format', 'ndjson']
  const environment = { CLICKHOUSE_URL: engine.userUrls.writer, DATA_DIR: folder }
  const run = () => startCli(['export', '--tenant', tenantId, '--to', to, ...type], { environment })
  for (let kill = 0; kill < kills; kill++) {
    const killed = run()
    await Promise.race([sleep(random.between(200, 4_000)), killed.ended])
    killed.kill('SIGKILL')
    await killed.ended
    await importOld(1_000 + kill)
  }
  await sleep(clockToleranceMs + 100)
  const last = await run().ended
  expect([last.code, last.stderr]).toEqual([0, ''])
  const files = readdirSync(to, { encoding: 'utf8', recursive: true }).filter((name) => name.endsWith('.ndjson'))
  const lines = files.flatMap((name) => readFileSync(join(to, name), 'utf8').trimEnd().split('\n'))
  expect(lines.map((line) => JSON.parse(line).id).toSorted()).toEqual(await storedIds())
})
