/** @module A part whose files are empty, as a full disk left it, until ClickHouse is restarted. */

import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { randomReports } from '../../../fixtures/reports.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { dayMs } from '../../../schema/durations.ts'
import { cli } from '../../support/cli.ts'
import { queryRows } from '../../support/database.ts'
import { startTestEngine, type TestEngine } from '../../support/engine.ts'
import { connectPatiently } from '../../support/patience.ts'
import { type SpawnedScript, spawnScript } from '../../support/spawn-script.ts'
import { createTenantWriter } from '../../support/tenants.ts'

const reports = 40
const started: SpawnedScript[] = []
let engine: TestEngine
let writer: Database

beforeAll(async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'engine-test-'))
  cpSync(inject('migratedFolder'), dataDir, { recursive: true })
  // As on a server, whose 8 minutes are longer than this test.
  const clickhouse = fileURLToPath(new URL('../../../clickhouse/', import.meta.url))
  const settings = readFileSync(join(clickhouse, 'engine/config.xml'), 'utf8').replace(
    '../server',
    join(clickhouse, 'server'),
  )
  const configFile = join(dataDir, 'config.xml')
  writeFileSync(configFile, settings.replace('<old_parts_lifetime>60<', '<old_parts_lifetime>480<'))
  engine = await startTestEngine({ dataDir, configFile })
  writer = connectPatiently(engine.userUrls.writer)
  const store = createTenantWriter(writer)
  const tenantId = await store.createTenant()
  const siteIds = [await store.createSite(tenantId)]
  const window = { from: new Date(Date.now() - dayMs / 24), to: new Date() }
  for (const seed of [1, 2]) {
    await store.insertReports(
      randomReports({ count: reports / 2, seed, tenantId, siteIds, ...window, retentionDays: 30 }),
    )
  }
})

afterAll(async () => {
  for (const { child } of started) child.kill('SIGKILL')
  await writer?.close()
  await engine?.end()
})

async function start(file: string, url: string): Promise<() => Promise<unknown>> {
  const environment = {
    CLICKHOUSE_URL: url,
    REDIS_URL: inject('servers').redisUrl,
    DATA_DIR: engine.dataDir,
    PORT: '0',
    COLLECTOR_PORT: '0',
  }
  const script = spawnScript(file, [], environment)
  started.push(script)
  const [, origin] = await script.printed(/on (http:\/\/[\d.:]+)/)
  return async () => {
    const { checks } = (await (await fetch(`${origin}/readyz`)).json()) as { checks: Record<string, string> }
    return checks.parts
  }
}

async function doctor() {
  const { stdout } = await cli(['doctor'], {
    environment: { DATA_DIR: engine.dataDir, CLICKHOUSE_PORT: String(engine.port) },
  })
  return stdout.split('\n').find((line) => / parts: /.test(line))
}

const read = () => queryRows(writer, 'SELECT count() FROM reports WHERE NOT ignore(*)')

test('a damaged part that was read fails readiness and doctor, which say until when a restart repairs it; the restart does', async () => {
  await writer.command('OPTIMIZE TABLE reports FINAL')
  const merged = await queryRows(
    writer,
    "SELECT path FROM system.parts WHERE active AND table = 'reports' AND level > 0",
  )
  expect(merged.length).toBeGreaterThan(0)
  for (const [path] of merged) {
    for (const name of readdirSync(String(path)).filter((file) => /mrk/.test(file)))
      truncateSync(join(String(path), name))
  }
  const programs = [await start('app/serve.ts', engine.userUrls.reader)]
  expect(await programs[0]?.()).toBe('ok')
  await expect(read()).rejects.toMatchObject({ code: '246' })
  programs.push(await start('app/collect.ts', engine.userUrls.writer))
  for (const parts of programs) await expect.poll(parts).toBe('failing')
  const remedy = /restart ClickHouse before \d\d:\d\d:\d\d UTC: until then it has the parts/
  for (const script of started) expect((await script.printed(/"fix":"(.*?)"/))[1]).toMatch(remedy)
  expect(await doctor()).toMatch(
    /^FAIL {2}parts: ClickHouse cannot read the part \S+ of reports at .* Fix: restart ClickHouse before/,
  )

  process.kill(engine.pid() as number, 'SIGKILL')
  await expect.poll(() => read().catch(() => [])).toEqual([[reports]])
  for (const parts of programs) await expect.poll(parts).toBe('ok')

  const detached = await doctor()
  expect(detached).toMatch(
    /^FAIL {2}parts: \d broken parts are detached at .*, the first default\.reports broken-on-start_/,
  )
  for (let line: string | undefined = detached; line?.startsWith('FAIL'); line = await doctor()) {
    const command = /drop each part: (curl .*)$/.exec(line)?.[1] as string
    expect(execFileSync('sh', ['-c', command], { encoding: 'utf8' })).toBe('')
  }
  expect(await read()).toEqual([[reports]])
})
