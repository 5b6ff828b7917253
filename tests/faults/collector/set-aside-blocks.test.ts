import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { makeSiteToken } from '../../../app/collector/site-address.ts'
import { logImportSteps } from '../../../clickhouse/log-import-steps.ts'
import { checkRollups } from '../../../clickhouse/rollups/check-rollups.ts'
import { rebuildRollups } from '../../../clickhouse/rollups/rebuild-rollups.ts'
import { cli } from '../../support/cli.ts'
import { startTestCollector, type TestCollector } from '../../support/collector.ts'
import { newUrl, reportRequest, send, storedOf, temporaryFolders } from '../../support/collector-posts.ts'
import type { TestDatabase } from '../../support/database.ts'
import { createMigratedDatabase } from '../../support/migrated-database.ts'
import { createTenantWriter } from '../../support/tenants.ts'

let database: TestDatabase
let tenantId: string
let collector: TestCollector
/** DATA_DIR of the collector. */
let folder: string
const siteToken = makeSiteToken()
const folders = temporaryFolders()

beforeAll(async () => {
  database = await createMigratedDatabase()
  const writer = createTenantWriter(database.writer)
  tenantId = await writer.createTenant()
  await writer.createSite(tenantId, { hosts: ['shop.example'], token: siteToken })
})
beforeEach(async () => {
  folder = await folders.make()
  collector = await startTestCollector({ CLICKHOUSE_URL: database.writeUrl, DATA_DIR: folder })
  return () => collector.close()
})
afterAll(async () => {
  await database?.drop()
  await folders.remove()
})

const run = (...words: string[]) => cli(words, { environment: { CLICKHOUSE_URL: database.writeUrl, DATA_DIR: folder } })

async function done(...words: string[]) {
  const { code, stdout, stderr } = await run(...words)
  expect({ code, stderr }).toMatchObject({ code: 0 })
  return JSON.parse(stdout)
}

async function refused(...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(...words)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  return stderr.trimEnd()
}

const list = async () => (await done('blocks', 'list')).blocks
const asideFiles = async () =>
  (await readdir(join(folder, 'collector'))).filter((name) => /\.(refused|unreadable)$/.test(name))
const doctorOf = async (check: string) => {
  const { stdout } = await run('doctor', '--json')
  const { checks } = JSON.parse(stdout)
  return checks.find((one: { check: string }) => one.check === check)
}
const metric = async (name: string) => {
  const text = await (await fetch(`${collector.url}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
}

/** Posts a page whose block ClickHouse refuses when `reports` has it and its rollups do not; returns the block's token. */
async function halfStored(page: string): Promise<string> {
  await database.writer.command(
    `CREATE MATERIALIZED VIEW a_broken_mv TO reports_by_time AS
     SELECT tenant_id, 'hour' AS grain, throwIf(document_url = '${page}') AS report_count FROM reports`,
  )
  await send(() => fetch(`${collector.url}/r/${siteToken}`, reportRequest(page)))
  await expect.poll(asideFiles).toEqual([expect.stringMatching(/\.refused$/)])
  await database.writer.command('DROP VIEW a_broken_mv SYNC')
  expect(await storedOf(database.writer, page)).toEqual([1])
  const [block] = await list()
  return block.token
}

describe('a block that is set aside half stored', () => {
  test('is listed, counted and named by doctor; sent again it completes the rollups and stores nothing twice', async () => {
    const page = newUrl()
    const token = await halfStored(page)
    expect(await list()).toEqual([
      {
        token,
        state: 'refused',
        reports: 1,
        tenants: [tenantId],
        bytes: expect.any(Number),
        savedAt: expect.stringMatching(/^20.*Z$/),
        stored: true,
      },
    ])
    expect(await metric('collector_blocks_set_aside')).toBe(1)
    expect(await metric('collector_oldest_block_seconds')).toBe(0)
    expect(await doctorOf('blocks')).toMatchObject({
      ok: false,
      found: expect.stringContaining(`${token}.refused`),
      fix: expect.stringContaining('blocks resend'),
    })
    expect(await checkRollups(database.writer)).not.toMatchObject({ different: 0 })

    expect(await done('blocks', 'resend', '--token', token)).toEqual({ token, stored: true })
    expect(await asideFiles()).toEqual([])
    expect(await storedOf(database.writer, page)).toEqual([1])
    expect(await checkRollups(database.writer)).toMatchObject({ different: 0 })
    expect(await metric('collector_blocks_set_aside')).toBe(0)
    expect(await doctorOf('blocks')).toMatchObject({ ok: true })
  })

  test('is counted by a rebuild, and not again when it is sent again afterwards', async () => {
    const token = await halfStored(newUrl())
    await rebuildRollups([database.writer])
    expect(await checkRollups(database.writer)).toMatchObject({ different: 0 })
    await done('blocks', 'resend', '--token', token)
    expect(await checkRollups(database.writer)).toMatchObject({ different: 0 })
  })

  test('stays where it is refused again', async () => {
    const page = newUrl()
    const token = await halfStored(page)
    await database.writer.command(
      `CREATE MATERIALIZED VIEW a_broken_mv TO reports_by_time AS
       SELECT tenant_id, 'hour' AS grain, throwIf(document_url = '${page}') AS report_count FROM reports`,
    )
    expect(await refused('blocks', 'resend', '--token', token)).toContain('ClickHouse rejected')
    await database.writer.command('DROP VIEW a_broken_mv SYNC')
    expect(await asideFiles()).toEqual([`${token}.refused`])
    await done('blocks', 'resend', '--token', token)
  })
})

test('an unreadable block can be discarded; a block that is being sent or does not exist cannot', async () => {
  const save = (name: string) => writeFile(join(folder, 'collector', name), 'no block')
  await save('a.unreadable')
  await save('b.begun')
  expect((await list()).map(({ token, state, stored }: Record<string, unknown>) => [token, state, stored])).toEqual([
    ['a', 'unreadable', false],
  ])
  expect((await done('blocks', 'list')).log).toMatchObject({ segments: 1, bytes: 8 })
  expect(await refused('blocks', 'resend', '--token', 'a')).toMatch(/a\.unreadable is not a complete block$/)
  expect(await refused('blocks', 'discard', '--token', 'b')).toMatch(/^The block b is still being sent; /)
  expect(await refused('blocks', 'discard', '--token', 'c')).toMatch(/^There is no block c in /)
  expect(await done('blocks', 'discard', '--token', 'a')).toEqual({ token: 'a', discarded: true })
  expect(await asideFiles()).toEqual([])
})

test('a folder that a collector left is drained, and refused while a collector runs on it', async () => {
  expect(await refused('collect', '--drain', folder)).toMatch(/a collector runs on it/)
  await collector.close()
  const page = newUrl()
  const left = await startTestCollector(
    { CLICKHOUSE_URL: database.writeUrl, DATA_DIR: folder },
    { waits: false, replace: () => ({ insert: () => Promise.reject(new Error('ended')) }) },
  )
  expect(await send(() => fetch(`${left.url}/r/${siteToken}`, reportRequest(page)))).toMatchObject({ status: 204 })
  await left.close()
  expect(await done('collect', '--drain', folder)).toEqual({ drained: folder })
  expect(await storedOf(database.writer, page)).toEqual([1])
  collector = await startTestCollector({ CLICKHOUSE_URL: database.writeUrl, DATA_DIR: folder })
})

describe('while a collector has a block on its way', () => {
  const step = (state: 'started' | 'done') =>
    logImportSteps(database.writer)([tenantId], 'collector that was killed', state)

  test('a rebuild is refused, and doctor and a check do not advise it', async () => {
    await database.writer.command(
      `INSERT INTO reports_by_time SELECT * FROM reports_by_time WHERE grain = 'hour' LIMIT 1`,
    )
    expect(await doctorOf('rollups')).toMatchObject({ ok: false, fix: expect.stringContaining('rollups rebuild') })
    await step('started')
    const found = /1 collector has a block in flight, for up to \d+ s/
    expect(await doctorOf('rollups')).toMatchObject({
      ok: false,
      found: expect.stringMatching(found),
      fix: expect.stringMatching(/^wait until the collector has sent its blocks.*count the blocks twice$/),
    })
    const check = await run('rollups', 'check')
    expect({ code: check.code, stderr: check.stderr }).toEqual({ code: 1, stderr: expect.stringMatching(found) })
    expect(await refused('rollups', 'rebuild')).toMatch(found)
    await step('done')
    expect(await doctorOf('rollups')).toMatchObject({ fix: expect.stringContaining('rollups rebuild') })
    expect(await done('rollups', 'rebuild')).toMatchObject({ different: 0 })
  })
})
