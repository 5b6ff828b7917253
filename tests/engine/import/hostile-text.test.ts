import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { startApi, type TestApi } from '../../support/api.ts'
import { importFile } from '../../support/import-file.ts'
import type { TestKey } from '../../support/tenants.ts'

/** Text that means something to a shell, a page, a database, a log or a JSON reader, and is none of their business. */
const hostile = `<script>alert(1)</script>"'\`\\ \u0000\u0001\u001b[31m\u007f\u2028\u202e%s {p0:String}'); DROP TABLE reports; -- 🦊\t\r\n`
const lone = `${hostile}\ud800x\udc00`
const mended = lone.replace(/\ud800|\udc00/g, '\ufffd')
/** What a field of short words keeps of it. */
const word = hostile.slice(0, 64)
const megabyte = 'A🦊'.repeat(300_000)

const page = 'https://shop.example.test/cart'
const folder = mkdtempSync(join(tmpdir(), 'hostile-text-'))
let api: TestApi
let key: TestKey
let siteId: string

beforeAll(async () => {
  api = await startApi()
  const tenantId = await api.createTenant()
  const hosts = ['shop.example.test']
  siteId = await api.createSite(tenantId, { hosts })
  key = await api.createKey(tenantId)
  const reports = [
    { type: 'crash', url: page, body: { reason: lone, stack: `${lone}${megabyte}`, visibility_state: hostile } },
    { type: 'deprecation', url: page, body: { id: lone, message: `${lone}${megabyte}`, sourceFile: `${page}/a.js?x` } },
    { type: 'csp-violation', url: page, body: { documentURL: page, effectiveDirective: 'img-src', blockedURL: lone } },
    { type: 'csp-violation', url: page, body: { documentURL: page, originalPolicy: `img-src ${hostile};${megabyte}` } },
    { type: 'network-error', url: `${page}?q=${hostile}`, body: { type: lone, phase: 'dns', method: hostile } },
  ]
  const path = join(folder, 'posts.ndjson')
  writeFileSync(path, `${JSON.stringify(reports.map((report) => ({ age: 0, user_agent: hostile, ...report })))}\n`)
  const limits = { batchBytes: 16_000_000, maxLineBytes: 16_000_000 }
  const sites = [{ id: siteId, hosts }]
  const result = await importFile({ writeUrl: inject('servers').writeUrl, path, tenantId, sites, limits })
  expect(result).toMatchObject({ stored: reports.length, rejected: 0 })
})

afterAll(async () => {
  rmSync(folder, { recursive: true })
  await api?.close()
})

async function first(path: string) {
  const { status, body, headers } = await api.get(path, { key })
  expect(status).toBe(200)
  expect(headers.get('Content-Type')).toBe('application/json')
  expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
  return body.data[0]
}

describe('hostile text', () => {
  test('hostile text of a crash comes back as sent, except lone surrogates', async () => {
    const [group, report] = [await first('/v1/crashes'), await first('/v1/reports?reportType=crash')]
    expect(group).toMatchObject({ reason: mended, visibilityState: word })
    expect(group.stackExcerpt).toBe([...`${mended}${megabyte}`].slice(0, 1_024).join(''))
    expect(report.stack.length).toBeGreaterThan(16_000)
    expect(`${mended}${megabyte}`.startsWith(report.stack)).toBe(true)
  })

  test('hostile text of a deprecation comes back as sent, except lone surrogates', async () => {
    const entry = await first('/v1/browser-changes')
    expect(entry).toMatchObject({ feature: mended, sourceFile: `${page}/a.js` })
    expect(entry.message.length).toBeGreaterThan(4_000)
    expect(`${mended}${megabyte}`.startsWith(entry.message)).toBe(true)
  })

  test('hostile text of a blocked URL and its issue comes back as sent', async () => {
    const report = await first('/v1/reports?directive=img-src')
    expect(report.blockedUrl).toBe(mended)
    const { body } = await api.get('/v1/issues', { key })
    expect(body.data.map(({ subject }: { subject: string }) => subject)).toContain('img-src')
  })

  test('hostile text of a policy comes back as sent, cut at 16 KB', async () => {
    const policy = await first(`/v1/sites/${siteId}/csp-policies`)
    expect(policy.truncated).toBe(true)
    expect(Buffer.byteLength(policy.policy)).toBeGreaterThan(16_380)
    expect(Buffer.byteLength(policy.policy)).toBeLessThanOrEqual(16_384)
    expect(policy.policy).not.toContain('\ufffd')
  })

  test('hostile text of a network error comes back as sent', async () => {
    const group = await first('/v1/network-errors')
    expect(group).toMatchObject({ errorType: mended, origin: 'https://shop.example.test', methods: [word] })
  })
})
