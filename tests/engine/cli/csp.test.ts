import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aReport } from '../../../fixtures/reports.ts'
import { dayMs } from '../../../schema/durations.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { runCsp } from '../../support/run-csp.ts'
import { servePage } from '../../support/served-page.ts'
import type { TestKey } from '../../support/tenants.ts'

const folder = mkdtempSync(join(tmpdir(), 'csp-cli-'))
const policy = "script-src 'self'"

let api: TestApi
let key: TestKey
let tenantId: string
let siteId: string

beforeAll(async () => {
  api = await startApi()
  tenantId = await api.createTenant()
  siteId = await api.createSite(tenantId, { hosts: ['shop.example.test'] })
  key = await api.createKey(tenantId, { siteId })
  await servePage(
    api,
    { tenantId, siteId },
    {
      headers: { 'content-security-policy': policy },
      sources: [{ directive: 'script-src-elem', source: 'https://px.metrics.test' }],
    },
  )
  const receivedAt = Date.now() - 20 * dayMs
  await api.insertReports(
    Array.from({ length: 12 }, (_, index) => ({
      ...aReport({ tenantId, siteId, policy, receivedAt: receivedAt + index, id: randomUUID() }),
      documentUrl: `https://shop.example.test/${index % 2}`,
      browserName: index % 2 === 0 ? 'Chrome' : 'Firefox',
    })),
  )
})

afterAll(() => {
  rmSync(folder, { recursive: true })
  return api?.close()
})

const csp = (args: readonly string[], run?: Parameters<typeof runCsp>[2]) => runCsp(siteId, args, run)

const proposed = "script-src 'self' https://px.metrics.test"

test('csp advise prints the response of the API, from the database and over HTTP', async () => {
  const { code, stdout } = await csp(['advise', '--tenant', tenantId])
  expect(code).toBe(0)
  expect(JSON.parse(stdout).data.proposed.text).toBe(proposed)
  const environment = { API_KEY: key.key }
  const overHttp = await csp(['advise', '--api', `${api.url}/`, '--last', '31d'], { environment })
  expect(overHttp).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(overHttp.stdout).data.sources).toEqual(JSON.parse(stdout).data.sources)
})

test('csp check prints the response of the API whole', async () => {
  const policy = "script-src 'none';\n\timg-src 'self', img-src a.test\n"
  const { stdout } = await csp(['check', '--tenant', tenantId, '--policy', '-', '--last', '31d'], { stdin: policy })
  const path = `/v1/sites/${siteId}/csp-policies/check?${new URLSearchParams({ policy, last: '31d' })}`
  const { body } = await api.get(path, { key })
  expect(JSON.parse(stdout)).toEqual(body)
})

test('csp check exits 1 while violations remain, and 0 after the advice', async () => {
  const file = join(folder, 'policy.txt')
  writeFileSync(file, `${policy};\n  img-src 'self'\n`)
  const before = await csp(['check', '--tenant', tenantId, '--policy', file])
  expect(before.code).toBe(1)
  expect(JSON.parse(before.stdout).data).toMatchObject({
    policy: { text: "script-src 'self'; img-src 'self'" },
    totals: { violation: { reportCount: 12 } },
  })
  const environment = { API_KEY: key.key }
  const after = await csp(['check', '--api', api.url, '--policy', '-'], { stdin: `${proposed}\n`, environment })
  expect(after).toMatchObject({ code: 0, stderr: '' })
  const recent = await csp(['check', '--tenant', tenantId, '--policy', file, '--last', '7d'])
  expect(recent.code).toBe(0)
})

test('violations that are noise alone do not make csp check exit 1', async () => {
  const other = await api.createSite(tenantId)
  await api.insertReports([aReport({ tenantId, siteId: other, noise: true, receivedAt: Date.now() - dayMs })])
  const run = await runCsp(other, ['check', '--tenant', tenantId, '--policy', '-'], {
    stdin: "script-src 'none'",
  })
  expect(JSON.parse(run.stdout).data.totals).toMatchObject({ violation: { reportCount: 1 }, noise: { reportCount: 1 } })
  expect(run.code).toBe(0)
})
