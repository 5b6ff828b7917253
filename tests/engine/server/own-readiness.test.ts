import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { makeKey } from '../../../app/api-keys/key-format.ts'
import { makeSiteToken } from '../../../app/collector/site-address.ts'
import { migrate } from '../../../clickhouse/migrate.ts'
import { expectRefused, newUrl, reportRequest, send } from '../../support/collector-posts.ts'
import { createDatabase, type TestDatabase } from '../../support/database.ts'
import { killEngine, startTestEngine, type TestEngine } from '../../support/engine.ts'
import { startMigratedEngine } from '../../support/migrated-engine.ts'
import { type SpawnedScript, spawnScript } from '../../support/spawn-script.ts'

interface Program {
  readonly url: string
  readonly script: SpawnedScript
}

const folder = mkdtempSync(join(tmpdir(), 'own-readiness-'))
const started: SpawnedScript[] = []

afterAll(() => {
  for (const { child } of started) child.kill('SIGKILL')
  rmSync(folder, { recursive: true })
})

async function start(file: string, url: string): Promise<Program> {
  const script = spawnScript(file, [], {
    CLICKHOUSE_URL: url,
    REDIS_URL: inject('servers').redisUrl,
    DATA_DIR: join(folder, String(started.length)),
    PORT: '0',
    COLLECTOR_PORT: '0',
    DRAIN_SECONDS: '600',
  })
  started.push(script)
  return { script, url: (await script.printed(/on (http:\/\/[\d.:]+)/))[1] as string }
}

async function checkOf({ url }: Program, path: string) {
  const response = await fetch(url + path)
  return { status: response.status, ...((await response.json()) as { readonly checks: Record<string, string> }).checks }
}
const self = (program: Program) => checkOf(program, '/readyz/self')

const requests = {
  'app/serve.ts': ({ url }: Program) => fetch(`${url}/v1/me`, { headers: { Authorization: `Bearer ${makeKey()}` } }),
  'app/collect.ts': ({ url }: Program) => fetch(`${url}/r/${makeSiteToken()}`, reportRequest(newUrl())),
}
/** Checks that take an instance out, where they are good. */
const ownChecks: Readonly<Record<string, object>> = {
  'app/serve.ts': { migrations: 'ok' },
  'app/collect.ts': { log: 'ok', sites: 'ok' },
}
const programs = Object.entries(requests).map(([file, request]) => ({ file, request }))

describe('while ClickHouse does not respond', () => {
  let engine: TestEngine
  const running = new Map<string, Program>()
  const programOf = (file: string) => running.get(file) as Program

  beforeAll(async () => {
    engine = await startMigratedEngine()
    await Promise.all([engine.read.close(), engine.write.close()])
    await killEngine(engine)
    for (const { file } of programs) {
      running.set(file, await start(file, engine.userUrls[file === 'app/serve.ts' ? 'reader' : 'writer']))
    }
  })

  afterAll(() => engine?.end())

  test('the API starts, and its clients get 503 with Retry-After from an instance that is ready', async () => {
    const program = programOf('app/serve.ts')
    expect(await checkOf(program, '/readyz')).toMatchObject({ status: 503, engine: 'failing', migrations: 'unknown' })
    expect(await self(program)).toEqual({ status: 200, migrations: 'unknown' })
    expectRefused(await send(() => requests['app/serve.ts'](program)), 'upstream_unavailable')
  })

  test('the collector starts, and is not ready while it knows no site', async () => {
    const program = programOf('app/collect.ts')
    const found = { status: 503, engine: 'failing', migrations: 'unknown', log: 'ok', sites: 'failing' }
    expect(await checkOf(program, '/readyz')).toMatchObject(found)
    expect(await self(program)).toEqual({ status: 503, log: 'ok', sites: 'failing' })
    expectRefused(await send(() => requests['app/collect.ts'](program)), 'upstream_unavailable')
  })

  test('a server that responds and is lost again changes nothing but what is known of it', async () => {
    const { dataDir, port } = engine
    engine = await startTestEngine({ dataDir, port })
    for (const { file, request } of programs) {
      const program = programOf(file)
      await expect.poll(() => checkOf(program, '/readyz')).toMatchObject({ status: 200, engine: 'ok' })
      expect(await self(program)).toEqual({ status: 200, ...ownChecks[file] })
      await expect.poll(async () => (await request(program)).status).toBeLessThan(500)
    }
    process.kill(engine.pid() as number, 'SIGSTOP')
    for (const { file } of programs) {
      const status = file === 'app/serve.ts' ? 503 : 200
      await expect.poll(() => checkOf(programOf(file), '/readyz')).toMatchObject({ status, engine: 'failing' })
      expect(await self(programOf(file))).toEqual({ status: 200, ...ownChecks[file] })
    }
    process.kill(engine.pid() as number, 'SIGCONT')
  })

  test.each(programs)('$file is not ready from its stop signal on', async ({ file }) => {
    const program = programOf(file)
    program.script.child.kill('SIGTERM')
    await expect.poll(() => self(program)).toEqual({ status: 503, ...ownChecks[file], process: 'failing' })
  })
})

describe('on a database without migrations', () => {
  let database: TestDatabase

  beforeAll(async () => {
    database = await createDatabase()
  })

  afterAll(() => database?.drop())

  test('the API is not ready until they are applied; the collector waits with its log', async () => {
    const [api, collector] = [
      await start('app/serve.ts', database.readUrl),
      await start('app/collect.ts', database.writeUrl),
    ]
    await expect.poll(() => self(api)).toEqual({ status: 503, migrations: 'failing' })
    expect(await self(collector)).toEqual({ status: 503, log: 'ok', sites: 'failing' })
    await migrate(database.writer)
    await expect.poll(() => self(api)).toEqual({ status: 200, migrations: 'ok' })
    await expect.poll(() => self(collector)).toEqual({ status: 200, log: 'ok', sites: 'ok' })
  })
})
