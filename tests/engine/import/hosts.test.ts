import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { startApi, type TestApi } from '../../support/api.ts'
import { importFile } from '../../support/import-file.ts'
import type { TestKey } from '../../support/tenants.ts'

const folder = mkdtempSync(join(tmpdir(), 'hosts-'))
let api: TestApi
let key: TestKey

beforeAll(async () => {
  api = await startApi()
  const tenantId = await api.createTenant()
  const hosts = ['localhost']
  const id = await api.createSite(tenantId, { hosts })
  key = await api.createKey(tenantId)
  const violation = (documentURL: string, blockedURL: string) => {
    return { type: 'csp-violation', url: documentURL, body: { documentURL, blockedURL, effectiveDirective: 'img-src' } }
  }
  const reports = [
    violation('http://localhost:8000/a', 'https://[::1]:9/x'),
    violation('http://LOCALHOST:3000/b', 'https://cdn.test:8443/x'),
    violation('https://localhost/', 'https://cdn.test/y'),
  ]
  const path = join(folder, 'posts.ndjson')
  writeFileSync(path, `${JSON.stringify(reports.map((report) => ({ age: 0, ...report })))}\n`)
  await importFile({ writeUrl: inject('servers').writeUrl, path, tenantId, sites: [{ id, hosts }] })
})

afterAll(async () => {
  rmSync(folder, { recursive: true })
  await api?.close()
})

const data = async (path: string) => (await api.get(path, { key })).body.data

test('documentHost=localhost finds the pages of every port', async () => {
  expect(await data('/v1/reports/count?documentHost=localhost')).toMatchObject({ reportCount: 3 })
  expect(await data('/v1/reports/count?documentHost=localhost:8000')).toMatchObject({ reportCount: 0 })
})

test('blocked hosts, issues and groups have no port, and origins have theirs', async () => {
  const groups = await data('/v1/reports/grouped?groupBy=blockedHost')
  expect(groups.map(({ values }: { values: string[] }) => values[0])).toEqual(['cdn.test', '[::1]'])
  const issues = await data('/v1/issues')
  expect(issues.map(({ targetHost }: { targetHost: string }) => targetHost).sort()).toEqual(['[::1]', 'cdn.test'])
  const reports: { blockedHost: string; blockedOrigin: string }[] = await data('/v1/reports?blockedHost=cdn.test')
  expect(reports.map(({ blockedOrigin }) => blockedOrigin).sort()).toEqual([
    'https://cdn.test',
    'https://cdn.test:8443',
  ])
})
