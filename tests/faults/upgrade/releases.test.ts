import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readMigrations } from '../../../clickhouse/migration-files.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { cli } from '../../support/cli.ts'
import type { TestEngine } from '../../support/engine.ts'
import { startMigratedEngine } from '../../support/migrated-engine.ts'
import { connectPatiently } from '../../support/patience.ts'
import { spawnScript } from '../../support/spawn-script.ts'

const list = ['tenants', 'list']

/** The engine of a data folder, which is also a server by its URL. */
let engine: TestEngine
let writer: Database
let last: string

beforeAll(async () => {
  engine = await startMigratedEngine()
  writer = connectPatiently(engine.userUrls.writer)
  last = (await readMigrations()).at(-1)?.name ?? ''
})

afterAll(async () => {
  await writer?.close()
  await engine?.end()
})

const server = () => ({ CLICKHOUSE_URL: engine.userUrls.writer })
const folder = () => ({ DATA_DIR: engine.dataDir, CLICKHOUSE_PORT: String(engine.port) })

async function doctor(environment: Readonly<Record<string, string>>) {
  const { code, stdout } = await cli(['doctor'], { environment })
  expect(code).toBe(1)
  return stdout.trimEnd().split('\n').at(-1)
}

/** What a program that serves logs first. */
async function warned(program: string, pattern: RegExp) {
  const ports = { PORT: '0', COLLECTOR_PORT: '0', DATA_DIR: engine.dataDir }
  const CLICKHOUSE_URL = engine.userUrls[program === 'app/serve.ts' ? 'reader' : 'writer']
  const started = spawnScript(program, [], { CLICKHOUSE_URL, ...ports, LOG_LEVEL: 'warn' })
  await started.printed(pattern)
  started.child.kill('SIGTERM')
  expect(await started.ended()).toBe(0)
}

describe('data of a newer release', () => {
  const line = /^The database is from a newer release, with 9000_later: run that release or a later one, .*\n$/

  beforeAll(async () => {
    await writer.command(
      `INSERT INTO schema_migrations (version, name, checksum) VALUES (9000, '9000_later', repeat('0', 64))`,
    )
    return () => writer.command('ALTER TABLE schema_migrations DELETE WHERE version = 9000 SETTINGS mutations_sync = 1')
  })

  test.each([list, ['migrate'], ['migrate', '--plan'], ['backup', 'a']])('ends %s with one line', async (...words) => {
    for (const environment of [server(), folder()]) {
      expect(await cli(words, { environment })).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(line) })
    }
  })

  test('has its remedy in "doctor"', async () => {
    for (const environment of [server(), folder()]) {
      expect(await doctor(environment)).toMatch(
        /^FAIL {2}migrations: The database is from a newer release, with 9000_later\. Fix: run that release or a later one/,
      )
    }
  })

  test.each(['app/serve.ts', 'app/collect.ts'])('is served by %s, which logs what to do', async (program) => {
    await warned(program, /from a newer release, with 9000_later: run that release/)
  })
})

describe('data of an older release', () => {
  beforeAll(async () => {
    await writer.command(`ALTER TABLE schema_migrations DELETE WHERE name = '${last}' SETTINGS mutations_sync = 1`)
  })

  test('on a server needs "migrate", as commands, "doctor" and the log of programs have it', async () => {
    expect(await cli(list, { environment: server() })).toEqual({
      code: 2,
      stdout: '',
      stderr: `The database lacks ${last}: run "migrate" first\n`,
    })
    expect(await doctor(server())).toBe(
      `FAIL  migrations: the database lacks ${last}. Fix: run "migrate" as the writer while no import is running`,
    )
    await warned('app/serve.ts', new RegExp(`The database lacks ${last}: run `))
  })

  test('of an embedded engine that another process runs is migrated by "migrate" alone', async () => {
    expect(await doctor(folder())).toContain(`the database lacks ${last}`)
    const planned = await cli(['migrate', '--plan'], { environment: folder() })
    expect(JSON.parse(planned.stdout)).toMatchObject({ pending: [last] })
    expect(await cli(list, { environment: folder() })).toEqual({
      code: 2,
      stdout: '',
      stderr: `The database lacks ${last}: run "migrate" first\n`,
    })
    expect(await cli(['backup', 'older'], { environment: folder() })).toMatchObject({ code: 0 })
    const migrated = await cli(['migrate'], { environment: folder() })
    expect(migrated).toMatchObject({ code: 0, stderr: `Applying ${last}\n` })
    expect(JSON.parse(migrated.stdout)).toEqual({ applied: [last] })
  })
})
