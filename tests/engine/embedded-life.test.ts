import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { availableParallelism, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SupervisorEvent, startEngine } from '../../clickhouse/engine/supervisor.ts'
import { ask, startTestEngine, type TestEngine } from '../support/engine.ts'

let engine: TestEngine
const events: SupervisorEvent[] = []
const directories: string[] = []

const main = fileURLToPath(new URL('../../clickhouse/engine/main.ts', import.meta.url))

function directory(): string {
  const made = mkdtempSync(join(tmpdir(), 'engine-life-'))
  directories.push(made)
  return made
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function answers(url: string): Promise<boolean> {
  return fetch(url, { method: 'POST', body: 'SELECT 1', signal: AbortSignal.timeout(1_000) }).then(
    async (answer) => (await answer.text()) === '1\n',
    () => false,
  )
}

beforeAll(async () => {
  engine = await startTestEngine({ onEvent: (event) => events.push(event) })
  await engine.write.command({ query: 'CREATE TABLE kept (id UInt64) ENGINE = MergeTree ORDER BY id' })
})

afterAll(async () => {
  await engine.end()
  for (const made of directories) rmSync(made, { recursive: true, force: true })
})

describe('a killed engine', () => {
  it('is back on the same port within seconds with its data', async () => {
    await engine.write.insert({ table: 'kept', values: [{ id: 1 }], format: 'JSONEachRow' })
    for (let death = 1; death <= 3; death++) {
      const pid = engine.pid() ?? 0
      const running = ask(engine, 'SELECT sleep(3)').catch(() => 'cut')
      process.kill(pid, 'SIGKILL')
      expect(await running).toBe('cut')
      await expect.poll(() => answers(engine.url), { timeout: 5_000, interval: 20 }).toBe(true)
      expect(engine.pid()).not.toBe(pid)
      expect((await ask(engine, 'SELECT count() FROM kept')).text).toBe('1\n')
      expect(events.filter(({ event }) => event === 'died')).toHaveLength(death)
    }
  })

  it('keeps the password of its writer', async () => {
    expect((await ask(engine, 'SELECT 1', { as: 'writer' })).text).toBe('1\n')
  })
})

describe('an engine', () => {
  it('tells of each query without its text', async () => {
    await ask(engine, "SELECT 'a value nobody may log'", { search: { query_id: 'told', log_comment: 'mine' } })
    const told = () => events.find((event) => event.event === 'query' && event.queryId === 'told')
    const report = {
      event: 'query',
      queryId: 'told',
      role: 'reader',
      comment: 'mine',
      milliseconds: expect.any(Number),
      code: 0,
    }
    await expect.poll(told).toEqual(report)
    expect(JSON.stringify(events)).not.toContain('nobody may log')
  })

  it('keeps what it has freed for five minutes, in huge pages, for the next insert', async () => {
    const option = (name: string) => `extract(stats, 'opt.${name}: "?([-0-9a-z]+)')`
    const statement = `SELECT ${option('dirty_decay_ms')}, ${option('thp')} FROM system.jemalloc_stats`
    expect((await ask(engine, statement, { as: 'writer' })).text).toBe('300000\talways\n')
  })

  it('merges on half the threads of the processor', async () => {
    const statement = "SELECT value FROM system.server_settings WHERE name = 'background_pool_size'"
    const half = Math.max(1, Math.floor(availableParallelism() / 2))
    expect((await ask(engine, statement, { as: 'writer' })).text).toBe(`${half}\n`)
  })

  it('drains before it stops and leaves nothing behind', async () => {
    const dataDir = directory()
    const own = await startEngine({ dataDir, port: 0, onEvent: () => undefined })
    const pid = own.pid() ?? 0
    const running = ask(own, 'SELECT sleep(1)')
    await expect.poll(async () => (await ask(own, 'SELECT count() FROM system.processes')).text).toBe('2\n')
    await own.stop()
    expect((await running).text).toBe('0\n')
    expect(lives(pid)).toBe(false)
    expect(existsSync(join(dataDir, 'clickhouse', 'status'))).toBe(false)
    expect(own.pid()).toBeUndefined()
    await own.stop()
  })

  it('keeps its data over a stop, whether its directory is named absolutely or relatively', async () => {
    const dataDir = directory()
    const first = await startEngine({ dataDir, port: 0, onEvent: () => undefined })
    await ask(first, 'CREATE TABLE t (a Int8) ENGINE = MergeTree ORDER BY a', { as: 'writer' })
    await ask(first, 'INSERT INTO t VALUES (1), (2)', { as: 'writer' })
    await first.stop()
    const second = await startEngine({ dataDir: relative(process.cwd(), dataDir), port: 0, onEvent: () => undefined })
    expect((await ask(second, 'SELECT count() FROM t')).text).toBe('2\n')
    expect(second.writer).toEqual(first.writer)
    await second.stop()
  })

  it('ends when its parent is killed', async () => {
    const supervisor = new URL('../../clickhouse/engine/supervisor.ts', import.meta.url).href
    const dataDir = directory()
    const script = `
      const { startEngine } = await import(${JSON.stringify(supervisor)})
      const engine = await startEngine({ dataDir: ${JSON.stringify(dataDir)}, port: 0, onEvent() {} })
      console.log(engine.url)`
    const parent = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const url = await new Promise<string>((resolve) => parent.stdout.once('data', (data) => resolve(`${data}`.trim())))
    expect(await answers(url)).toBe(true)
    const busy = fetch(url, { method: 'POST', body: 'SELECT sleep(2)' }).catch(() => undefined)
    parent.kill('SIGKILL')
    await expect.poll(() => answers(url), { timeout: 10_000 }).toBe(false)
    await busy
    // The directory is free only when the orphan is gone.
    const opens = async () => {
      const heir = await startEngine({ dataDir, port: 0, onEvent: () => undefined }).catch(() => undefined)
      await heir?.stop()
      return heir !== undefined
    }
    await expect.poll(opens, { timeout: 15_000 }).toBe(true)
  })
})

describe('an engine whose parent leaves while it starts', () => {
  it.each([200, 600, 1_000, 1_400, 1_800])('ends, %d ms after it was started', async (milliseconds) => {
    const child = fork(main, [directory(), '0'], { execArgv: ['--import', 'tsx'], stdio: 'ignore' })
    try {
      const ended = once(child, 'exit', { signal: AbortSignal.timeout(20_000) })
      await sleep(milliseconds)
      child.disconnect()
      await ended
    } finally {
      child.kill('SIGKILL')
    }
  })
})

it('says why a defect ended it', async () => {
  const defect = 'data:text/javascript,setTimeout(() => { throw new Error("a defect") }, 2000)'
  const child = fork(main, [directory(), '0'], {
    execArgv: ['--import', 'tsx', '--import', defect],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  const said = child.stderr?.setEncoding('utf8').toArray()
  await once(child, 'exit')
  expect((await said)?.join('')).toContain('Error: a defect')
})

describe('a start that cannot succeed says why in one line', () => {
  it('for a port in use', async () => {
    const server = createServer()
    const port = await new Promise<number>((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port))
    })
    const start = startEngine({ dataDir: directory(), port, onEvent: () => undefined })
    await expect(start).rejects.toThrow(new RegExp(`^The embedded ClickHouse cannot start: .*EADDRINUSE.*:${port}$`))
    server.close()
  })

  it('for a data directory in use', async () => {
    const start = startEngine({ dataDir: engine.dataDir, port: 0, onEvent: () => undefined })
    await expect(start).rejects.toThrow(
      /^The embedded ClickHouse cannot start: Cannot lock file .*status\..*already running$/,
    )
    expect(await answers(engine.url)).toBe(true)
  })

  it('for a directory whose name is a pattern to ClickHouse', async () => {
    const start = startEngine({ dataDir: join(directory(), 'a*b'), port: 0, onEvent: () => undefined })
    await expect(start).rejects.toThrow(
      /^The embedded ClickHouse cannot start: The path of the data directory holds one of/,
    )
  })
})
