import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { demoTenant } from '../../../fixtures/demo-tenants.ts'
import { startApi } from '../../support/api.ts'
import { cli } from '../../support/cli.ts'
import { queryRows } from '../../support/database.ts'
import { startTestEngine, type TestEngine } from '../../support/engine.ts'
import { fillEveryTable } from '../../support/fill-every-table.ts'
import { startMigratedEngine } from '../../support/migrated-engine.ts'
import { connectPatiently } from '../../support/patience.ts'
import type { TestKey } from '../../support/tenants.ts'

const now = new Date()
const [siteId] = demoTenant.sites.map((site) => site.id)

const paths = [
  '/v1/reports/types',
  '/v1/reports?limit=200',
  '/v1/reports/histogram?bucketSize=1d',
  '/v1/reports/grouped?groupBy=directive,blockedHost',
  '/v1/issues?limit=200',
  '/v1/crashes',
  '/v1/network-errors',
  '/v1/browser-changes',
  `/v1/sites/${siteId}/scripts`,
  `/v1/sites/${siteId}/pages`,
  `/v1/compliance/pci-dss?siteId=${siteId}`,
  '/v1/alert-deliveries',
]

/** Backups that outlive their folder. */
const copies = mkdtempSync(join(tmpdir(), 'backups-'))
let key: TestKey
let before: unknown[]

afterAll(() => rmSync(copies, { recursive: true, force: true }))

const backupsOf = ({ dataDir }: TestEngine) => join(dataDir, 'clickhouse', 'backups')

const run = (engine: TestEngine, ...args: string[]) =>
  cli(args, { environment: { DATA_DIR: engine.dataDir, CLICKHOUSE_PORT: String(engine.port) } })

async function responses({ userUrls }: TestEngine): Promise<unknown[]> {
  const api = await startApi({ readUrl: userUrls.reader, writeUrl: userUrls.writer, now: () => now })
  try {
    const found = []
    for (const path of paths) {
      const { status, body } = await api.get(path, { key })
      expect(status, path).toBe(200)
      found.push(body)
    }
    return found
  } finally {
    await api.close()
  }
}

beforeAll(async () => {
  const engine = await startMigratedEngine()
  const writer = connectPatiently(engine.userUrls.writer)
  try {
    key = await fillEveryTable(writer, demoTenant)
    before = await responses(engine)
    const backup = await run(engine, 'backup', 'full')
    expect(backup).toMatchObject({ code: 0, stderr: '' })
    const { rows, bytes, ...printed } = JSON.parse(backup.stdout)
    expect(printed).toEqual({ backup: 'full', changed: [] })
    expect(rows).toBeGreaterThan(1_000)
    expect(bytes).toBeGreaterThan(1_000)
    const increment = await run(engine, 'backup', 'increment', '--base', 'full')
    expect(JSON.parse(increment.stdout).bytes).toBeLessThan(bytes / 2)
    expect(await queryRows(writer, "SELECT name FROM system.tables WHERE name LIKE 'backup\\_%'")).toEqual([])
    cpSync(backupsOf(engine), copies, { recursive: true })
  } finally {
    await writer.close()
    // The folder is lost with it.
    await engine.end()
  }
})

async function withCopies<Result>(engine: TestEngine, task: () => Promise<Result>): Promise<Result> {
  try {
    cpSync(copies, backupsOf(engine), { recursive: true })
    return await task()
  } finally {
    await engine.end()
  }
}

test.each([
  ['full', 'a new data folder', startTestEngine],
  ['increment', 'a database that was migrated', startMigratedEngine],
])('the %s backup, restored into %s, gives the same responses', async (name, _, start) => {
  const engine = await start()
  await withCopies(engine, async () => {
    const { code, stdout, stderr } = await run(engine, 'restore', name)
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('Checking reports, ') })
    expect(JSON.parse(stdout)).toMatchObject({ restored: name, applied: [], different: 0 })
    expect(await responses(engine)).toEqual(before)
    // The folder lacks what no backup has, and nothing makes another key.
    expect(stderr).toMatch(/Copy what the backup does not contain: secrets\.key .* and captures\/ of the DATA_DIR/)
    const doctor = await run(engine, 'doctor')
    expect(doctor.stdout).toMatch(/FAIL {2}destinations: .*secrets\.key is missing: copy secrets\.key from/)
    expect(readdirSync(engine.dataDir)).not.toContain('secrets.key')
    const again = await run(engine, 'restore', name)
    expect(again).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(
        /^The database has rows in (\w+, ){2}\w+ and \d+ other tables: restore into an empty database.*\n$/,
      ),
    })
    // The next start loads no demo beside the restored tenants.
    expect(JSON.parse(readFileSync(join(engine.dataDir, 'demo.json'), 'utf8'))).toMatchObject({ loaded: true })
  })
})

test('a backup with a changed byte is not restored', async () => {
  const engine = await startTestEngine()
  await withCopies(engine, async () => {
    const data = join(backupsOf(engine), 'full', 'data', 'data', 'default', 'reports')
    const [part] = readdirSync(data)
    const file = join(data, String(part), 'data.bin')
    const bytes = readFileSync(file)
    const at = bytes.length >> 1
    bytes[at] = (bytes[at] ?? 0) ^ 1
    writeFileSync(file, bytes)
    const { code, stdout, stderr } = await run(engine, 'restore', 'full')
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/broken|corrupt|checksum/i)
  })
})

test('errors name the backup, and what to set', async () => {
  const engine = await startMigratedEngine()
  await withCopies(engine, async () => {
    const fails = async (args: string[], says: RegExp) => {
      const { code, stdout, stderr } = await run(engine, ...args)
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr.trimEnd().split('\n').at(-1)).toMatch(says)
    }
    await fails(['backup', 'full'], /^The backup full already exists /)
    await fails(
      ['restore', 'other'],
      /^There is no backup other, .*: copy its folder to backups\/ in the data folder \(DATA_DIR\/clickhouse\/backups/,
    )
    await fails(['backup', '../out'], /^NAME must be 1 to 100 letters/)
    await fails(['backup', 'a', '--disk', 'tape'], /allowed_disk.* is not set.*<storage_configuration>.*<allowed_disk>/)
    await fails(['backup', 'a', '--base', 'other'], /^There is no backup other/)
    await fails(['backup', 'remove', 'full'], /^The backup full is the base of increment: remove those first/)
    // As an interrupted backup is.
    rmSync(join(backupsOf(engine), 'full', 'contents'), { recursive: true })
    await fails(['restore', 'full'], /^There is no backup full, or it was interrupted/)
    const list = async () => JSON.parse((await run(engine, 'backup', 'list')).stdout).backups
    const interrupted = { name: 'full', isWhole: false, base: null }
    const increment = { name: 'increment', isWhole: true, base: 'full', createdAt: expect.any(String) }
    expect(await list()).toEqual(expect.arrayContaining([expect.objectContaining(interrupted), increment]))
    expect(await run(engine, 'backup', 'remove', 'increment')).toMatchObject({ code: 0 })
    await fails(['backup', 'remove', 'increment'], /^There is no backup increment in /)
    expect(await run(engine, 'backup', 'full')).toMatchObject({ code: 0, stderr: '' })
    expect(await list()).toContainEqual(expect.objectContaining({ ...interrupted, isWhole: true }))
    // A reader may not: 497 is ACCESS_DENIED.
    const reader = connectPatiently(engine.userUrls.reader)
    await expect(reader.command("BACKUP DATABASE default TO File('mine')")).rejects.toMatchObject({ code: '497' })
    await reader.close()
  })
})

test('a backup on a disk of the server’s configuration is restored from it', async () => {
  const settings = mkdtempSync(join(tmpdir(), 'backup-disk-'))
  const [dataDir, configFile] = [join(settings, 'data'), join(settings, 'config.xml')]
  const engineFolder = fileURLToPath(new URL('../../../clickhouse/engine/', import.meta.url))
  const disk = `<storage_configuration><disks><tape><type>local</type><path>${dataDir}/clickhouse/tape/</path></tape></disks></storage_configuration>`
  const config = readFileSync(join(engineFolder, 'config.xml'), 'utf8')
    .replace(/<backups>.*<\/backups>/, `<backups><allowed_disk>tape</allowed_disk></backups>${disk}`)
    .replace('../server/', join(engineFolder, '../server/'))
  writeFileSync(configFile, config)
  const engine = await startTestEngine({ dataDir, configFile })
  try {
    const environment = { CLICKHOUSE_URL: engine.userUrls.writer }
    await cli(['migrate'], { environment })
    expect(await cli(['backup', 'a', '--disk', 'tape'], { environment })).toMatchObject({ code: 0 })
    expect(readdirSync(join(dataDir, 'clickhouse', 'tape', 'a'))).toEqual(['contents', 'data'])
    const restored = await cli(['restore', 'a', '--disk', 'tape'], { environment })
    expect(restored).toMatchObject({ code: 0, stdout: expect.stringContaining('"restored":"a"') })
  } finally {
    await engine.end()
    rmSync(settings, { recursive: true, force: true })
  }
})
