import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { availableParallelism, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Engine, startEngine } from '../../../clickhouse/engine/start-engine.ts'
import { sendStatement, startTestEngine, type TestEngine } from '../../support/engine.ts'
import { spawnScript } from '../../support/spawn-script.ts'

let engine: TestEngine
const deaths: string[] = []
const directories: string[] = []

function directory(): string {
  const made = mkdtempSync(join(tmpdir(), 'engine-life-'))
  directories.push(made)
  return made
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function responds(url: string): Promise<boolean> {
  return fetch(`${url}/ping`, { signal: AbortSignal.timeout(60_000) }).then(
    ({ ok }) => ok,
    () => false,
  )
}

/** Statements that run: one, this one, and the session that holds the engine open. */
const countRunning = async (of: Engine) =>
  (await sendStatement(of, 'writer', 'SELECT count() FROM system.processes')).text

beforeAll(async () => {
  engine = await startTestEngine({ onDeath: (how) => deaths.push(how) })
  await engine.write.command({ query: 'CREATE TABLE kept (id UInt64) ENGINE = MergeTree ORDER BY id' })
})

afterAll(async () => {
  await engine.end()
  for (const made of directories) rmSync(made, { recursive: true, force: true })
})

describe('a killed engine', () => {
  test('a killed engine is back on its port within seconds, with its data', async () => {
    await engine.write.insert({ table: 'kept', values: [{ id: 1 }], format: 'JSONEachRow' })
    for (let death = 1; death <= 3; death++) {
      const pid = engine.pid() ?? 0
      const slow = 'SELECT sleepEachRow(1) FROM numbers(25) SETTINGS max_block_size = 1'
      const running = sendStatement(engine, 'reader', slow).catch(() => 'cut')
      await expect.poll(() => countRunning(engine)).toBe('3\n')
      process.kill(pid, 'SIGKILL')
      expect(await running).toBe('cut')
      await expect.poll(() => responds(engine.url), { interval: 20 }).toBe(true)
      expect(engine.pid()).not.toBe(pid)
      expect((await sendStatement(engine, 'reader', 'SELECT count() FROM kept')).text).toBe('1\n')
      expect(deaths).toEqual(Array(death).fill('SIGKILL'))
    }
  })

  test('a restarted engine has the same passwords', async () => {
    for (const user of ['reader', 'writer'] as const) {
      expect((await sendStatement(engine, user, 'SELECT currentUser()')).text).toBe(`${user}\n`)
    }
  })
})

describe('an engine', () => {
  test('the engine merges on half the threads of the processor', async () => {
    const half = Math.max(1, Math.floor(availableParallelism() / 2))
    const { text } = await sendStatement(engine, 'writer', "SELECT getServerSetting('background_pool_size')")
    expect(text).toBe(`${half}\n`)
  })

  test('the engine finishes running queries before it stops, and no process remains', async () => {
    const own = await startEngine({ dataDir: directory(), port: 0 })
    const pid = own.pid() ?? 0
    const running = sendStatement(own, 'reader', 'SELECT sleep(3)')
    await expect.poll(() => countRunning(own)).toBe('3\n')
    await own.stop()
    expect((await running).text).toBe('0\n')
    expect(isAlive(pid)).toBe(false)
    expect(own.pid()).toBeUndefined()
    await own.stop()
  })

  test('data of an engine survives a stop, with an absolute or a relative folder', async () => {
    const dataDir = directory()
    const first = await startEngine({ dataDir, port: 0 })
    await sendStatement(first, 'writer', 'CREATE TABLE t (a Int8) ENGINE = MergeTree ORDER BY a')
    await sendStatement(first, 'writer', 'INSERT INTO t VALUES (1), (2)')
    await first.stop()
    const second = await startEngine({ dataDir: relative(process.cwd(), dataDir), port: first.port })
    expect((await sendStatement(second, 'reader', 'SELECT count() FROM t')).text).toBe('2\n')
    expect(second.userUrls).toEqual(first.userUrls)
    await second.stop()
  })

  test.each(['while it runs a query', 'while it starts'])(
    'the engine ends when its parent is killed %s',
    async (moment) => {
      const dataDir = directory()
      const parent = spawnScript('tests/support/own-engine.ts', [dataDir], {})
      await parent.printed(moment === 'while it starts' ? /starting/ : /\{.*\}/)
      const started = /\{.*\}/.exec(parent.output())?.[0]
      const orphan = started ? JSON.parse(started) : undefined
      const running = orphan && sendStatement(orphan, 'reader', 'SELECT sleep(2)').catch(() => undefined)
      parent.child.kill('SIGKILL')
      await running
      // The folder is free only when the orphan is gone.
      const opens = async () => {
        const heir = await startEngine({ dataDir, port: 0 }).catch(() => undefined)
        await heir?.stop()
        return heir !== undefined
      }
      await expect.poll(opens).toBe(true)
    },
  )
})

describe('the error of a start', () => {
  test('a start on a port in use fails with one line', async () => {
    const server = createServer()
    const port = await new Promise<number>((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port))
    })
    const start = startEngine({ dataDir: directory(), port })
    await expect(start).rejects.toThrow(
      new RegExp(`^The embedded ClickHouse cannot start: listen EADDRINUSE: .*:${port}$`),
    )
    server.close()
  })

  test('a start in a data folder in use fails with one line, and its engine runs on', async () => {
    const start = startEngine({ dataDir: engine.dataDir, port: 0 })
    await expect(start).rejects.toThrow(
      /^The embedded ClickHouse cannot start: Cannot lock .*: the process that started its engine is running$/,
    )
    expect(await responds(engine.url)).toBe(true)
  })

  test('a start in a file fails with one line', async () => {
    const file = join(directory(), 'file')
    writeFileSync(file, '')
    await expect(startEngine({ dataDir: file, port: 0 })).rejects.toThrow(
      /^The embedded ClickHouse cannot start: (EEXIST|ENOTDIR)/,
    )
  })
})

test('a lock of a dead engine does not stop a start', async () => {
  const dataDir = directory()
  const first = await startEngine({ dataDir, port: 0 })
  process.kill(first.pid() ?? 0, 'SIGKILL')
  await first.stop()
  expect(existsSync(join(dataDir, 'clickhouse', 'status'))).toBe(true)
  const second = await startEngine({ dataDir, port: 0 })
  expect(await responds(second.url)).toBe(true)
  await second.stop()
})
