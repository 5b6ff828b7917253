import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { runCli } from '../../../app/cli/run-cli.ts'
import { startEngine } from '../../../clickhouse/engine/start-engine.ts'
import { cli, startCli } from '../../support/cli.ts'
import { createDatabase } from '../../support/database.ts'
import { freezeProcess } from '../../support/freeze-process.ts'
import { patience } from '../../support/patience.ts'
import { spawnScript } from '../../support/spawn-script.ts'

const folder = mkdtempSync(join(tmpdir(), 'cli-embedded-'))
const dataDir = join(folder, 'data')

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const create = ['tenants', 'create', '--name', 'A', '--plan', 'team']
const count = ['sql', 'SELECT count() FROM tenants']

describe('the command line without CLICKHOUSE_URL', () => {
  test('a command starts the engine of DATA_DIR, migrates it, stores rows and stops it', async () => {
    const environment = { DATA_DIR: dataDir, CLICKHOUSE_PORT: '0' }
    const first = await startCli(create, { environment, folder }).ended
    expect(first).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\{"id":"[0-9a-f-]{36}"\}\n$/) })
    expect(first.stderr).toContain('Applying 0001_tenants')
    expect(await cli(count, { environment })).toEqual({ code: 0, stdout: '1\n', stderr: '' })
    expect(JSON.parse((await cli(['migrate'], { environment })).stdout)).toEqual({ applied: [] })
  })

  test('a command migrates no engine of another process, whose programs can be of an older release', async () => {
    const other = join(folder, 'older')
    const engine = await startEngine({ dataDir: other, port: 0 })
    try {
      const environment = { DATA_DIR: other, CLICKHOUSE_PORT: String(engine.port) }
      const refused = await cli(create, { environment })
      expect(refused.code).toBe(2)
      expect(refused.stderr).toMatch(/^The database lacks 0001_tenants, .*: run "migrate" first\n$/)
      await cli(['backup', 'before'], { environment })
      const tables = 'SELECT count() FROM system.tables WHERE database = currentDatabase()'
      expect((await cli(['sql', tables], { environment })).stdout).toBe('0\n')
      expect(JSON.parse((await cli(['migrate'], { environment })).stdout).applied[0]).toBe('0001_tenants')
    } finally {
      await engine.stop()
    }
  })

  test('a command uses the running engine on CLICKHOUSE_PORT, and does not stop it', async () => {
    const engine = await startEngine({ dataDir, port: 0 })
    try {
      const environment = { DATA_DIR: dataDir, CLICKHOUSE_PORT: String(engine.port) }
      expect((await cli(create, { environment })).code).toBe(0)
      expect((await cli(count, { environment })).stdout).toBe('2\n')
      const elsewhere = await cli(count, {
        environment: { DATA_DIR: dataDir, CLICKHOUSE_PORT: '0' },
        settings: { ownerTimeoutMs: 300 },
      })
      expect({ code: elsewhere.code, stdout: elsewhere.stdout }).toEqual({ code: 2, stdout: '' })
      expect(elsewhere.stderr).toMatch(/^Another process uses .*CLICKHOUSE_PORT/)
    } finally {
      await engine.stop()
    }
  })

  test('an engine that does not respond is named as busy, and a command waits until it responds', async () => {
    const engine = await startEngine({ dataDir, port: 0 })
    const pid = engine.pid() as number
    const environment = { DATA_DIR: dataDir, CLICKHOUSE_PORT: String(engine.port) }
    try {
      freezeProcess(pid)
      const settings = { ownerTimeoutMs: 300, connectOptions: { ...patience, pingTimeoutMs: 300 } }
      const busy = await cli(count, { environment, settings })
      const line = `The engine on port ${engine.port} is busy and does not respond: run the command again later\n`
      expect(busy).toEqual({ code: 2, stdout: '', stderr: line })
      const waiting = cli(count, { environment, settings: { connectOptions: { ...patience, pingTimeoutMs: 300 } } })
      await sleep(1_000)
      process.kill(pid, 'SIGCONT')
      expect(await waiting).toEqual({ code: 0, stdout: '2\n', stderr: '' })
    } finally {
      process.kill(pid, 'SIGCONT')
      await engine.stop()
    }
  })

  test('an import begun while a killed engine restarts waits for it, and takes no folder', async () => {
    let die = () => {}
    const died = new Promise<void>((resolve) => {
      die = resolve
    })
    const engine = await startEngine({ dataDir, port: 0, onDeath: () => die() })
    const isUp = () =>
      fetch(`${engine.url}/ping`, { headers: { Connection: 'close' } }).then(
        ({ ok }) => ok,
        () => false,
      )
    try {
      const environment = { DATA_DIR: dataDir, CLICKHOUSE_PORT: String(engine.port) }
      const { id } = JSON.parse((await cli(create, { environment })).stdout)
      await cli(['sites', 'create', '--tenant', id, '--name', 'A', '--host', 'a.test'], { environment })
      process.kill(engine.pid() ?? 0, 'SIGKILL')
      await died
      const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
      const streams = { stdin, stdout, stderr } as unknown as Parameters<typeof runCli>[2]
      const running = runCli(['import', 'reports', '--tenant', id, '-'], environment, streams, {
        connectOptions: patience,
        ownerTimeoutMs: 120_000,
      })
      // The import reads on for as long as its pipe is open.
      await expect.poll(isUp).toBe(true)
      expect(engine.pid()).toBeDefined()
      stdin.end('[{"type":"crash","url":"https://a.test/","body":{"reason":"oom"}}]\n')
      expect(await running).toBe(0)
      // On a slow machine progress, a line every 5 s.
      expect(String(stderr.read() ?? '')).toMatch(/^(\d+ reports, [^\n]*\n)*$/)
      expect(JSON.parse(String(stdout.read()))).toMatchObject({ stored: 1 })
    } finally {
      await engine.stop()
    }
  })

  test('a command takes the folder of a killed owner, whose engine may end for 5 s', async () => {
    const owner = spawnScript('tests/support/own-engine.ts', [dataDir], {})
    await owner.printed(/\{.*\}/)
    owner.child.kill('SIGKILL')
    expect(await cli(count, { environment: { DATA_DIR: dataDir, CLICKHOUSE_PORT: '0' } })).toMatchObject({ code: 0 })
  })

  test('an error names DATA_DIR where it cannot be the engine’s folder', async () => {
    const file = join(folder, 'file')
    writeFileSync(file, '')
    const { code, stderr } = await cli(count, { environment: { DATA_DIR: file, CLICKHOUSE_PORT: '0' } })
    expect(code).toBe(2)
    expect(stderr).toMatch(/^The embedded ClickHouse cannot start: .* \(DATA_DIR is .*file\)\n$/)
  })

  test('a command does not use a running engine of another folder', async () => {
    const { port } = new URL(inject('servers').writeUrl)
    expect((await cli(count, { environment: { DATA_DIR: dataDir, CLICKHOUSE_PORT: port } })).stdout).toBe('3\n')
  })
})

describe('the command line with CLICKHOUSE_URL', () => {
  test('a command without connection exits 2 with one line that lacks the password', async () => {
    const environment = { CLICKHOUSE_URL: 'http://writer:hush-hush@127.0.0.1:1/default' }
    const { code, stdout, stderr } = await cli(create, { environment })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toBe('CLICKHOUSE_URL: http://127.0.0.1:1 does not respond\n')
  })

  test('a command that its user may not run says whose URL it needs', async () => {
    const { code, stderr } = await cli(create, { environment: { CLICKHOUSE_URL: inject('servers').readUrl } })
    expect(code).toBe(2)
    expect(stderr).toMatch(
      /^reader: Not enough privileges\. .*[^.]; use a user with that permission in CLICKHOUSE_URL, such as the writer\n$/,
    )
  })

  test('a warning about the environment is printed once', async () => {
    const environment = { CLICKHOUSE_URL: inject('servers').readUrl, COLLECTOR_PORT: 'tcp://10.0.0.1:80' }
    // It reads the environment for its folder, and again for the database.
    const { code, stderr } = await cli(['blocks', 'list'], { environment })
    expect(code).toBe(0)
    expect(stderr).toMatch(/^COLLECTOR_PORT is ignored: [^\n]*\n$/)
  })

  test('a command requires "migrate" where migrations are missing, and "migrate" applies them', async () => {
    const db = await createDatabase()
    try {
      const environment = { CLICKHOUSE_URL: db.writeUrl }
      const refused = await cli(create, { environment })
      expect(refused.code).toBe(2)
      expect(refused.stderr).toMatch(/^The database lacks 0001_tenants, .*: run "migrate" first\n$/)
      const { code, stdout } = await cli(['migrate'], { environment })
      expect(code).toBe(0)
      expect(JSON.parse(stdout).applied[0]).toBe('0001_tenants')
      expect((await cli(create, { environment })).code).toBe(0)
    } finally {
      await db.drop()
    }
  })
})
