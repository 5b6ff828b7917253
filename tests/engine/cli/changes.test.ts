import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { dayMs } from '../../../schema/durations.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { done, makeTenant, refused } from '../../support/cli-commands.ts'
import { queryRows } from '../../support/database.ts'
import { connectPatiently } from '../../support/patience.ts'

let database: Database
let api: TestApi

beforeAll(async () => {
  database = connectPatiently(inject('servers').writeUrl)
  api = await startApi({ keyTtlMs: 500 })
})

afterAll(async () => {
  await Promise.all([database?.close(), api?.close()])
})

async function makeSite(tenant: string, host: string): Promise<string> {
  return (await done('sites', 'create', '--tenant', tenant, '--name', 'Shop', '--host', host)).response.id
}

describe('tenants list, show and update', () => {
  test('a tenant is listed with the number of its sites, and shown with the limits that apply', async () => {
    const id = await makeTenant('--key-limit', '7')
    const site = await makeSite(id, 'listed.example')
    const { response } = await done('tenants', 'list')
    const listed = response.tenants.find((one: { id: string }) => one.id === id)
    expect(listed).toMatchObject({ plan: 'business', overrides: { keyLimit: 7 }, sites: 1 })
    const { response: shown } = await done('tenants', 'show', '--tenant', id)
    expect(shown).toMatchObject({ id, plan: 'business', sites: [{ id: site }], keys: [] })
    expect(shown.effective).toMatchObject({ retentionDays: 90, keyLimit: 7, tenantLimit: 2_400 })
  })

  test('an update changes what is given alone, and the API follows', async () => {
    const id = await makeTenant('--retention-days', '50', '--key-limit', '7')
    const { response: key } = await done('keys', 'create', '--tenant', id, '--name', 'k')
    const limit = async () => (await api.get('/v1/me', { key })).body.data.rateLimits.key.limit
    expect(await limit()).toBe(7)
    const { response } = await done('tenants', 'update', '--tenant', id, '--plan', 'team', '--key-limit', 'plan')
    expect(response).toMatchObject({ plan: 'team', overrides: { retentionDays: 50 }, effective: { keyLimit: 120 } })
    await expect.poll(limit, { interval: 200 }).toBe(120)
    const { response: renamed } = await done('tenants', 'update', '--tenant', id, '--name', 'New')
    expect(renamed).toMatchObject({ id, name: 'New', plan: 'team', overrides: { retentionDays: 50 } })
    const stored = `SELECT name, plan, uniqExact(created_at) OVER () FROM tenants FINAL WHERE id = '${id}'`
    expect(await queryRows(database, stored)).toEqual([['New', 'team', 1]])
  })
})

describe('sites list and update', () => {
  test('an update changes name, hosts and sample rates, each alone', async () => {
    const tenant = await makeTenant()
    const site = await makeSite(tenant, 'one.example')
    const other = await makeSite(tenant, 'two.example')
    const [before] = (await done('sites', 'list', '--tenant', tenant)).response.sites
    const update = (...words: string[]) => done('sites', 'update', '--tenant', tenant, '--site', site, ...words)
    const hosts = ['--host', 'one.example', '--host', '*.one.example']
    expect((await update(...hosts)).response).toEqual({ ...before, hosts: ['one.example', '*.one.example'] })
    const sampled = { crash: 0.1, coop: 0.25 }
    expect((await update('--sample', 'crash=0.1', '--sample', 'coop=0.25')).response.sampleRates).toEqual(sampled)
    expect((await update('--sample', 'crash=1', '--name', 'New')).response).toEqual({
      ...before,
      name: 'New',
      hosts: ['one.example', '*.one.example'],
      sampleRates: { coop: 0.25 },
    })
    expect((await update('--sample', 'coop=1')).response.sampleRates).toEqual({})
    expect((await update('--max-reports-per-minute', '500')).response.maxReportsPerMinute).toBe(500)
    expect((await update('--max-reports-per-minute', 'plan')).response.maxReportsPerMinute).toBe(0)
    expect(await refused('sites', 'update', '--tenant', tenant, '--site', site, '--host', 'two.example')).toBe(
      `The host two.example already belongs to the tenant's site ${other}`,
    )
    for (const number of ['0', '1000000001', 'x']) {
      expect(
        await refused('sites', 'update', '--tenant', tenant, '--site', site, '--max-reports-per-minute', number),
      ).toMatch(/^--max-reports-per-minute must be a whole number from 1 to 1000000000, or plan/)
    }
    expect(await refused('sites', 'update', '--tenant', tenant, '--site', site)).toBe(
      'Nothing to change: use one or more of --name, --host, --sample, --max-reports-per-minute, --urls, --keep',
    )
  })

  test('a new site stores no values of queries but those to keep; an update changes both', async () => {
    const tenant = await makeTenant()
    const site = await makeSite(tenant, 'urls.example')
    const words = ['sites', 'update', '--tenant', tenant, '--site', site]
    const urlsOf = ({ response: { urls, keep } }: { response: { urls: string; keep: string[] } }) => [urls, ...keep]
    expect(urlsOf(await done(...words, '--name', 'Same'))).toEqual(['names'])
    expect(urlsOf(await done(...words, '--keep', 'page', '--keep', 'utm_source'))).toEqual([
      'names',
      'page',
      'utm_source',
    ])
    const { response, stderr } = await done(...words, '--urls', 'paths')
    expect(urlsOf({ response })).toEqual(['paths'])
    expect(stderr).toMatch(/^URLs of stored reports do not change/m)
    expect(await refused(...words, '--keep', 'page')).toBe('--keep is only for --urls names')
    expect(await refused(...words, '--keep', 'a=b')).toBe('--keep must be a name such as utm_source, not "a=b"')
  })
})

describe('keys rotate', () => {
  test('the new key has the scope of the old one, which ends after the overlap', async () => {
    const tenant = await makeTenant()
    const site = await makeSite(tenant, 'rotated.example')
    const narrow = ['--site', site, '--origin', 'https://a.example']
    const { response: old } = await done('keys', 'create', '--tenant', tenant, '--name', 'dash', ...narrow)
    const before = Date.now()
    const { response: key } = await done('keys', 'rotate', '--id', old.id, '--overlap', '7d')
    const overlap = Date.parse(key.old.expiresAt) - before
    expect(overlap).toBeGreaterThanOrEqual(7 * dayMs)
    expect(overlap).toBeLessThanOrEqual(7 * dayMs + Date.now() - before)
    for (const one of [old, key]) {
      const { status, body } = await api.get('/v1/me', { key: one, headers: { Origin: 'https://a.example' } })
      expect(status).toBe(200)
      expect(body.data.key).toMatchObject({ id: one.id, name: 'dash', siteId: site, origins: ['https://a.example'] })
    }
    const { response: listed } = await done('keys', 'list', '--tenant', tenant)
    const expiries = listed.keys.map(({ expiresAt }: { expiresAt: string }) => Date.parse(expiresAt) - before)
    expect(expiries[0]).toBe(overlap)
    expect(expiries[1]).toBeGreaterThan(364 * dayMs)
  })

  test('without overlap the old key is refused once it is forgotten, and cannot be rotated again', async () => {
    const tenant = await makeTenant()
    const { response: old } = await done('keys', 'create', '--tenant', tenant, '--name', 'k')
    expect((await api.get('/v1/me', { key: old })).status).toBe(200)
    const { response: key } = await done('keys', 'rotate', '--id', old.id, '--overlap', '0m')
    const status = async () => (await api.get('/v1/me', { key: old })).status
    await expect.poll(status, { interval: 200 }).toBe(401)
    expect((await api.get('/v1/me', { key })).status).toBe(200)
    expect(await refused('keys', 'rotate', '--id', old.id)).toContain('expired at')
    await done('keys', 'revoke', '--id', key.id)
    expect(await refused('keys', 'rotate', '--id', key.id)).toContain('is revoked: create another with "keys create"')
  })
})
