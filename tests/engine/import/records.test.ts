import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { z } from 'zod'
import { recordType } from '../../../app/import/records/record-type.ts'
import { alertRules } from '../../../app/import/records/types/alert-rules.ts'
import { monitoredPages } from '../../../app/import/records/types/monitored-pages.ts'
import { randomDeliveries, randomPages } from '../../../fixtures/random-records.ts'
import { dayMs } from '../../../schema/durations.ts'
import { recordUuid } from '../../../schema/record-fields.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { cli, startCli } from '../../support/cli.ts'
import { readPages } from '../../support/read-pages.ts'
import type { TestKey } from '../../support/tenants.ts'

const folder = mkdtempSync(join(tmpdir(), 'record-import-'))

let api: TestApi

beforeAll(async () => {
  api = await startApi()
})

afterAll(async () => {
  await api?.close()
  rmSync(folder, { recursive: true })
})

const environment = () => ({ CLICKHOUSE_URL: inject('servers').writeUrl })

/** Runs `import` with lines in a file of this name, and gives its result and what it rejected. */
async function run(words: readonly string[], name: string, lines: readonly (object | string)[]) {
  const path = join(folder, `${name}.ndjson`)
  writeFileSync(path, lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''))
  const { code, stdout, stderr } = await cli(['import', ...words, path], { environment: environment() })
  const rejectedPath = `${path}.rejected.ndjson`
  const rejected = existsSync(rejectedPath) ? readFileSync(rejectedPath, 'utf8').trimEnd().split('\n') : []
  return {
    code,
    stderr,
    response: stdout && JSON.parse(stdout),
    rejected: rejected.map((line) => JSON.parse(line).rejected),
  }
}

interface Owner {
  readonly tenantId: string
  readonly siteIds: string[]
  readonly key: TestKey
}

async function newOwner(): Promise<Owner> {
  const tenantId = await api.createTenant()
  const siteIds = [await api.createSite(tenantId), await api.createSite(tenantId)]
  return { tenantId, siteIds, key: await api.createKey(tenantId) }
}

const span = { from: new Date(Date.now() - 90 * dayMs), to: new Date() }
const pagesOf = async ({ siteIds, key }: Owner, limit = 200) =>
  (await Promise.all(siteIds.map((id) => readPages(api, key, `/v1/sites/${id}/pages`, { limit })))).map(
    ({ data }) => data,
  )
const deliveriesOf = async ({ key }: Owner) => (await readPages(api, key, '/v1/alert-deliveries', { limit: 200 })).data

describe('import pages', () => {
  test('import pages stores once when repeated, and imports responses of the API', async () => {
    const owner = await newOwner()
    const words = ['pages', '--tenant', owner.tenantId]
    const records = randomPages({ seed: 1, count: 60, siteIds: owner.siteIds })
    const first = await run(words, 'pages', records)
    expect(first).toMatchObject({ code: 0, response: { records: 60, stored: 60, rejected: 0 }, rejected: [] })
    const response = await pagesOf(owner)
    expect(response.flat()).toHaveLength(60)
    expect(await run(words, 'pages', records)).toEqual(first)
    expect(await pagesOf(owner)).toEqual(response)
    expect(await run(words, 'pages', response.flat())).toEqual(first)
    expect(await pagesOf(owner)).toEqual(response)
  })

  test('import pages rejects lines by number and reason, and stores the rest', async () => {
    const owner = await newOwner()
    const stranger = await newOwner()
    const [page] = randomPages({ seed: 2, count: 1, siteIds: owner.siteIds })
    const moved = { ...page, siteId: owner.siteIds.find((id) => id !== page?.siteId) }
    const unknown = randomUUID()
    const { code, response, rejected, stderr } = await run(['pages', '--tenant', owner.tenantId], 'mixed', [
      'no JSON',
      page ?? '',
      { ...page, id: randomUUID(), siteId: stranger.siteIds[0] },
      { ...page, id: randomUUID(), siteId: unknown },
      { ...page, id: randomUUID(), extra: 1 },
      moved,
    ])
    expect(code).toBe(1)
    expect(response).toEqual({ records: 6, stored: 1, rejected: 5 })
    expect(stderr).toContain('mixed.ndjson.rejected.ndjson')
    expect(rejected.map(({ line, reason }) => [line, reason])).toEqual([
      [1, expect.stringContaining('not JSON')],
      [3, `siteId: the tenant has no site ${stranger.siteIds[0]}`],
      [4, `siteId: the tenant has no site ${unknown}`],
      [5, expect.stringContaining('"extra" is not allowed')],
      [6, `siteId of the id ${page?.id} is ${page?.siteId} and cannot be changed to ${moved.siteId}`],
    ])
    expect((await pagesOf(owner)).flat()).toEqual([{ ...page, latestScan: null }])
    expect((await pagesOf(stranger)).flat()).toEqual([])
  })

  test('import pages changes no site of a stored page', async () => {
    const owner = await newOwner()
    const [page] = randomPages({ seed: 3, count: 1, siteIds: [owner.siteIds[0] ?? ''] })
    const words = ['pages', '--tenant', owner.tenantId]
    expect(await run(words, 'first', [page ?? ''])).toMatchObject({ code: 0 })
    const later = await run(words, 'later', [{ ...page, siteId: owner.siteIds[1] }])
    expect(later).toMatchObject({ code: 1, response: { records: 1, stored: 0, rejected: 1 } })
    expect(later.rejected[0].reason).toContain('cannot be changed')
  })

  test('import pages takes a missing site from the flag, which must be the tenant’s', async () => {
    const owner = await newOwner()
    const [siteId = ''] = owner.siteIds
    const lines = randomPages({ seed: 4, count: 3, siteIds: [siteId] }).map(({ siteId: _, ...page }) => page)
    const words = ['pages', '--tenant', owner.tenantId]
    expect(await run([...words, '--site', siteId], 'flag', lines)).toMatchObject({ code: 0, response: { stored: 3 } })
    expect(await run(words, 'flagless', lines)).toMatchObject({ code: 1, response: { stored: 0, rejected: 3 } })
    const foreign = (await newOwner()).siteIds[0] ?? ''
    const refused = await run([...words, '--site', foreign], 'foreign', lines)
    expect(refused).toMatchObject({ code: 2, response: '', stderr: `The tenant has no site ${foreign}\n` })
  })

  test('import pages reads stdin', async () => {
    const owner = await newOwner()
    const [page] = randomPages({ seed: 5, count: 1, siteIds: owner.siteIds })
    const process = startCli(['import', 'pages', '--tenant', owner.tenantId, '-'], {
      environment: environment(),
      folder,
    })
    process.stdin.end(JSON.stringify(page))
    expect(await process.ended).toMatchObject({ code: 0, stdout: '{"records":1,"stored":1,"rejected":0}\n' })
  })

  test('import pages fails for a tenant that does not exist', async () => {
    const id = randomUUID()
    const { code, stderr } = await run(['pages', '--tenant', id], 'nobody', [])
    expect({ code, stderr }).toEqual({ code: 2, stderr: `There is no tenant ${id}\n` })
  })
})

describe('import alert-deliveries', () => {
  test('import alert-deliveries stores once when repeated, and imports responses of the API', async () => {
    const owner = await newOwner()
    const words = ['alert-deliveries', '--tenant', owner.tenantId]
    const records = randomDeliveries({ ...span, seed: 6, count: 80, siteIds: owner.siteIds })
    const first = await run(words, 'deliveries', records)
    expect(first).toMatchObject({ code: 0, response: { records: 80, stored: 80, rejected: 0 } })
    const response = await deliveriesOf(owner)
    expect(response).toHaveLength(80)
    expect(await run(words, 'deliveries', records)).toEqual(first)
    expect(await run(words, 'deliveries', response)).toEqual(first)
    expect(await deliveriesOf(owner)).toEqual(response)
  })

  test('import alert-deliveries rejects foreign sites and another time of a stored delivery', async () => {
    const owner = await newOwner()
    const foreign = (await newOwner()).siteIds[0] ?? ''
    const [one] = randomDeliveries({ ...span, seed: 7, count: 1, siteIds: owner.siteIds })
    const { response, rejected } = await run(['alert-deliveries', '--tenant', owner.tenantId], 'strange', [
      one ?? '',
      { ...one, id: 'x', siteId: foreign },
      { ...one, id: 'y', siteIds: [owner.siteIds[0], foreign] },
      { ...one, createdAt: '2026-01-31T12:00:00.000Z' },
    ])
    expect(response).toEqual({ records: 4, stored: 1, rejected: 3 })
    expect(rejected.map(({ reason }) => reason)).toEqual([
      `siteId: the tenant has no site ${foreign}`,
      `siteIds: the tenant has no site ${foreign}`,
      expect.stringMatching(/^createdAt of the id .* cannot be changed/),
    ])
  })
})

describe('import alert-rules', () => {
  test('import alert-rules stores a rule’s last line, of one site or of every site', async () => {
    const owner = await newOwner()
    const rule = { ...alertRules.example, id: 'r1', siteId: owner.siteIds[0] }
    const lines = [rule, { ...rule, id: 'r2', siteId: null }, { ...rule, enabled: false }]
    expect(await run(['alert-rules', '--tenant', owner.tenantId], 'rules', lines)).toMatchObject({ code: 0 })
    const statement = `SELECT id, site_id, event_type, kind, destination_id, enabled FROM alert_rules FINAL WHERE tenant_id = '${owner.tenantId}' ORDER BY id FORMAT JSONCompactEachRow`
    const { stdout } = await cli(['sql', statement], { environment: environment() })
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      ['r1', owner.siteIds[0], 'page.headers_changed', 'immediate', 'dest-1', false],
      ['r2', null, 'page.headers_changed', 'immediate', 'dest-1', true],
    ])
  })
})

describe('a record type', () => {
  const schema = z.strictObject({ id: recordUuid, pageId: recordUuid, siteId: recordUuid.optional() })

  test('a record type can refer to pages of the tenant and of the record’s site', async () => {
    const owner = await newOwner()
    const [one = '', two = ''] = owner.siteIds
    const [page] = randomPages({ seed: 8, count: 1, siteIds: [one] })
    await api.importRecords(owner.tenantId, monitoredPages, [page ?? {}])
    const visits = recordType({
      name: 'visits',
      label: 'visits',
      schema,
      foreignKeys: { pageId: 'page' },
      table: 'monitored_pages',
      toRow: ({ id, pageId }) => ({ id, site_id: one, label: pageId }),
      example: {},
    })
    const importing = (record: object, tenantId = owner.tenantId) =>
      api.importRecords(tenantId, visits, [{ id: randomUUID(), pageId: page?.id, ...record }])
    await importing({})
    await importing({ siteId: one })
    await expect(importing({ siteId: two })).rejects.toThrow(`does not belong to the site ${two}`)
    await expect(importing({ pageId: randomUUID() })).rejects.toThrow('the tenant has no page')
    await expect(importing({}, (await newOwner()).tenantId)).rejects.toThrow('the tenant has no page')
  })

  test('a record type that writes a missing column fails the import', async () => {
    const broken = { ...alertRules, toRow: () => ({ id: 'x', no_such_column: 1 }) }
    const owner = await newOwner()
    await expect(api.importRecords(owner.tenantId, broken, [alertRules.example])).rejects.toThrow('no_such_column')
  })
})
