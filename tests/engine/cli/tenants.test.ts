import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { hashKey } from '../../../app/api-keys/key-format.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { findTenant } from '../../../queries/tenants/tenants.ts'
import { dayMs } from '../../../schema/durations.ts'
import { keyPattern } from '../../../schema/key-pattern.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { done, makeTenant, refused } from '../../support/cli-commands.ts'
import { queryRows } from '../../support/database.ts'
import { connectPatiently } from '../../support/patience.ts'

let database: Database
let api: TestApi

beforeAll(async () => {
  database = connectPatiently(inject('servers').writeUrl)
  api = await startApi()
})

afterAll(async () => {
  await Promise.all([database?.close(), api?.close()])
})

test('commands of a cluster are refused on one server, in one line', async () => {
  const commands = ['tenants balance --plan', 'cluster replace --shard 1 --replica 2']
  for (const command of commands) expect(await refused(...command.split(' '))).toMatch(/^There are no shards: /)
  expect(await refused('cluster', 'replace', '--shard', '1')).toMatch(
    /^required option '--replica <NAME>' not specified/,
  )
  expect(await refused('cluster', 'replace', '--shard', '1', '--replica', "2'")).toMatch(
    /^--replica must be the value of the macro/,
  )
})

describe('tenants create', () => {
  test('a tenant is created on its plan, with its name unchanged', async () => {
    const id = await makeTenant()
    expect(await database.read(findTenant(id))).toEqual([
      { id, name: 'Zoë\'s "shop" 🛍 \\ ltd', plan: 'business', overrides: {} },
    ])
  })

  test('overrides of the plan are stored', async () => {
    const id = await makeTenant('--retention-days', '400', '--key-limit=7', '--tenant-limit', '9')
    const [tenant] = await database.read(findTenant(id))
    expect(tenant?.overrides).toEqual({ retentionDays: 400, keyLimit: 7, tenantLimit: 9 })
  })

  test('a tenant with empty overrides has none', async () => {
    const id = randomUUID()
    await database.command(`INSERT INTO tenants (id, name, plan, overrides) VALUES ('${id}', 'A', 'business', '')`)
    const { response: key } = await done('keys', 'create', '--tenant', id, '--name', 'k')
    const { status, body } = await api.get('/v1/me', { key })
    expect({ status, keyLimit: body.data.rateLimits.key.limit }).toEqual({ status: 200, keyLimit: 600 })
  })

  test('a message names a plan without API access', async () => {
    const { stderr } = await done('tenants', 'create', '--name', 'A', '--plan', 'free')
    expect(stderr).toContain('no API access')
  })
})

describe('sites create', () => {
  test('a site is created with its hosts, a repeated host once', async () => {
    const tenant = await makeTenant()
    const hosts = ['--host', 'A.example:443', '--host', '*.a.example', '--host', 'a.example']
    const { response } = await done('sites', 'create', '--tenant', tenant, '--name', 'Shop', ...hosts)
    const rows = await queryRows(database, `SELECT tenant_id, name, hosts FROM sites FINAL WHERE id = '${response.id}'`)
    expect(rows).toEqual([[tenant, 'Shop', ['a.example', '*.a.example']]])
  })

  test('a site gets a token of its own, and the headers that send reports to its address', async () => {
    const tenant = await makeTenant()
    const words = ['--tenant', tenant, '--name', 'Shop', '--host', 'd.example', '--collector', 'https://in.example/']
    const { response } = await done('sites', 'create', ...words)
    expect(Object.keys(response)).toEqual(['id', 'token', 'reportUrl', 'headers'])
    expect(response.token).toMatch(/^[\w-]{22}$/)
    expect(response.reportUrl).toBe(`https://in.example/r/${response.token}`)
    expect(response.headers.filter((line: string) => line.includes(response.reportUrl)).length).toBeGreaterThan(2)
    const rotate = ['--tenant', tenant, '--site', response.id, '--collector', 'http://in.example:8788']
    const { response: rotated } = await done('sites', 'rotate-token', ...rotate)
    expect(rotated).toMatchObject({ id: response.id, reportUrl: `http://in.example:8788/r/${rotated.token}` })
    expect(rotated.token).not.toBe(response.token)
    const stored = `SELECT token, name, hosts FROM sites FINAL WHERE id = '${response.id}'`
    expect(await queryRows(database, stored)).toEqual([[rotated.token, 'Shop', ['d.example']]])
  })

  test('sample rates are stored by report type', async () => {
    const tenant = await makeTenant()
    const words = ['--tenant', tenant, '--name', 'Shop', '--host', 'e.example']
    const { response } = await done('sites', 'create', ...words, '--sample', 'crash=0.1', '--sample', 'coop=.25')
    const stored = `SELECT sample_rates['crash'], sample_rates['coop'], length(sample_rates) FROM sites FINAL WHERE id = '${response.id}'`
    expect(await queryRows(database, stored)).toEqual([[0.1, 0.25, 2]])
  })

  test('a host of another site of the tenant is an error; one of another tenant is not', async () => {
    const [one, other] = [await makeTenant(), await makeTenant()]
    const words = ['--name', 'Shop', '--host', 'b.example']
    const { response } = await done('sites', 'create', '--tenant', one, ...words)
    expect(
      await refused('sites', 'create', '--tenant', one, '--name', 'B', '--host', 'c.example', '--host', 'B.Example'),
    ).toBe(`The host b.example already belongs to the tenant's site ${response.id}`)
    await done('sites', 'create', '--tenant', other, ...words)
  })

  test('a tenant that does not exist is an error', async () => {
    const id = randomUUID()
    expect(await refused('sites', 'create', '--tenant', id, '--name', 'S', '--host', 'a.example')).toBe(
      `There is no tenant ${id}`,
    )
  })
})

describe('keys', () => {
  test('keys are valid for a year and at once, and only their hash is stored', async () => {
    const tenant = await makeTenant()
    const before = Date.now()
    const { response, stderr } = await done('keys', 'create', '--tenant', tenant.toUpperCase(), '--name', 'dashboard')
    expect(Object.keys(response)).toEqual(['id', 'key', 'prefix'])
    expect(response.key).toMatch(keyPattern)
    const { status, body } = await api.get('/v1/me', { key: response })
    expect({ status, prefix: body.data.key.prefix }).toEqual({ status: 200, prefix: response.prefix })
    const year = Date.parse(body.data.key.expiresAt) - before
    expect(year).toBeGreaterThan(364 * dayMs)
    expect(year).toBeLessThan(367 * dayMs)

    const secret = response.key.slice('srk_live_'.length + response.prefix.length)
    expect(stderr).not.toContain(secret)
    const rows = JSON.stringify(await queryRows(database, `SELECT * FROM api_keys WHERE id = '${response.id}'`))
    expect(rows).toContain(hashKey(response.key))
    expect(rows).not.toContain(secret)
    const listed = await done('keys', 'list', '--tenant', tenant)
    expect(JSON.stringify(listed)).not.toContain(secret)
  })

  test('a key is narrowed to a site and to origins, and stays so when it is revoked', async () => {
    const tenant = await makeTenant()
    const site = (await done('sites', 'create', '--tenant', tenant, '--name', 'S', '--host', 'narrow.example')).response
    const narrow = ['--site', site.id, '--origin', 'https://a.example', '--origin', 'http://b.example:8080']
    const { response: key } = await done('keys', 'create', '--tenant', tenant, '--name', 'k', ...narrow)
    const scope = { siteId: site.id, origins: ['https://a.example', 'http://b.example:8080'] }
    const { body } = await api.get('/v1/me', { key, headers: { Origin: 'https://a.example' } })
    expect(body.data.key).toMatchObject(scope)
    await done('keys', 'revoke', '--id', key.id)
    expect((await done('keys', 'list', '--tenant', tenant)).response.keys).toMatchObject([scope])
  })

  test('a key of a site or an origin that is none is an error', async () => {
    const tenant = await makeTenant()
    const create = (...args: string[]) => refused('keys', 'create', '--tenant', tenant, '--name', 'k', ...args)
    const unknown = randomUUID()
    expect(await create('--site', unknown)).toBe(`The tenant has no site ${unknown}`)
    for (const origin of ['https://a.example/', 'a.example', '*', 'ftp://a.example']) {
      expect(await create('--origin', origin)).toContain('--origin must be an origin such as')
    }
  })

  test('keys expire at --expires-at', async () => {
    const tenant = await makeTenant()
    await done('keys', 'create', '--tenant', tenant, '--name', 'k', '--expires-at', '2100-01-31T12:00:00.5+02:00')
    const { response } = await done('keys', 'list', '--tenant', tenant)
    expect(response.keys[0].expiresAt).toBe('2100-01-31T10:00:00.500Z')
  })

  test('keys are listed oldest first, with their public parts only', async () => {
    const tenant = await makeTenant()
    const made = []
    for (const name of ['first', 'second'])
      made.push((await done('keys', 'create', '--tenant', tenant, '--name', name)).response)
    const { response } = await done('keys', 'list', '--tenant', tenant)
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(response).toEqual({
      keys: made.map(({ id, prefix }, index) => {
        const name = index === 0 ? 'first' : 'second'
        return { id, name, prefix, siteId: null, origins: [], createdAt: time, expiresAt: time, revokedAt: null }
      }),
    })
  })

  test('a revoked key is refused for good, and no other key with it', async () => {
    const tenant = await makeTenant()
    const { response: kept } = await done('keys', 'create', '--tenant', tenant, '--name', 'kept')
    const { response: key } = await done('keys', 'create', '--tenant', tenant, '--name', 'lost')
    const { response } = await done('keys', 'revoke', '--id', key.id)
    expect(response).toEqual({ id: key.id, revokedAt: expect.any(String) })
    expect((await api.get('/v1/me', { key })).status).toBe(401)
    expect((await api.get('/v1/me', { key: kept })).status).toBe(200)
    expect((await done('keys', 'revoke', '--id', key.id)).response).toEqual(response)
    const { response: listed } = await done('keys', 'list', '--tenant', tenant)
    expect(listed.keys.map(({ revokedAt }: { revokedAt: string }) => revokedAt)).toEqual([null, response.revokedAt])
  })

  test('a tenant or key id that does not exist is an error', async () => {
    const id = randomUUID()
    expect(await refused('keys', 'revoke', '--id', id)).toBe(`There is no key ${id}`)
    expect(await refused('keys', 'list', '--tenant', id)).toBe(`There is no tenant ${id}`)
    expect(await refused('keys', 'create', '--tenant', id, '--name', 'k')).toBe(`There is no tenant ${id}`)
  })
})
