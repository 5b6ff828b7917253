import { createReadStream, readdirSync, readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { type Rejection, toRejectedLine } from '../../../app/import/ndjson/rejected-line.ts'
import { importInto } from '../../../app/import/reports/import-into.ts'
import { type ImportOptions, importReports } from '../../../app/import/reports/import-reports.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { queryRows } from '../../support/database.ts'
import { connectPatiently } from '../../support/patience.ts'

const captured = new URL('../../../fixtures/captured/', import.meta.url)
const files = readdirSync(captured).filter((name) => name.endsWith('.ndjson'))

const siteOf = {
  shop: { id: '00000000-0000-4000-8000-000000000001', hosts: ['shop.example.test', 'old.example.test'] },
  blog: { id: '00000000-0000-4000-8000-000000000002', hosts: ['blog.example.test'] },
  account: { id: '00000000-0000-4000-8000-000000000003', hosts: ['account.example.test'] },
  network: { id: '00000000-0000-4000-8000-000000000004', hosts: ['*.nel.test'] },
  partner: { id: '00000000-0000-4000-8000-000000000005', hosts: ['partner.example.org.test', 'ads.adnet.test'] },
}

let database: Database
let tenants = 0

beforeAll(() => {
  database = connectPatiently(inject('servers').writeUrl)
})

afterAll(() => database?.close())

const newTenant = () =>
  `00000000-0000-4000-8000-2${String(process.pid).padStart(7, '0')}${String(tenants++).padStart(4, '0')}`

async function importSource(source: ImportOptions['source'], tenantId: string, given: Partial<ImportOptions> = {}) {
  const rejections: Rejection[] = []
  const result = await importReports({
    ...importInto(database, tenantId),
    source,
    sites: Object.values(siteOf),
    retentionDays: 3_650,
    onReject: (rejection) => void rejections.push(rejection),
    ...given,
  })
  return { result, rejections }
}

const rows = (tenantId: string, columns: string, by = '') =>
  queryRows(database, `SELECT ${columns} FROM reports WHERE tenant_id = '${tenantId}' ${by}`)

const counted = (values: readonly unknown[]) => {
  const counts: Record<string, number> = {}
  for (const value of values) counts[String(value)] = (counts[String(value)] ?? 0) + 1
  return counts
}

/** Every report of the captured files as the browser sent it, read without any code of the importer. */
const sent = files.flatMap((name) =>
  readFileSync(new URL(name, captured), 'utf8')
    .trimEnd()
    .split('\n')
    .flatMap((line) => {
      const post = JSON.parse(line)
      return [post.body].flat().map((element) => {
        const legacy = element['csp-report']
        return { type: legacy ? 'csp-violation' : element.type, url: element.url, body: legacy ?? element.body, post }
      })
    }),
)
const neverStored = ({ type, body }: (typeof sent)[number]) =>
  type.startsWith('potential-') || (type === 'network-error' && body.type === 'ok')

describe('the captured reports', () => {
  const tenantId = newTenant()
  const stored = sent.filter((report) => !neverStored(report))

  test('the captured reports are stored, none rejected, the rest counted by type', async () => {
    let [reports, storedCount] = [0, 0]
    const skipped: Record<string, number> = {}
    const unknown = new Set<string>()
    for (const name of files) {
      const { result, rejections } = await importSource(createReadStream(new URL(name, captured)), tenantId)
      expect(rejections).toEqual([])
      reports += result.reports
      storedCount += result.stored
      for (const [type, count] of Object.entries(result.skipped)) skipped[type] = (skipped[type] ?? 0) + count
      for (const member of Object.keys(result.unknownMembers)) unknown.add(member)
    }
    expect({ reports, storedCount }).toEqual({ reports: sent.length, storedCount: stored.length })
    expect(skipped).toEqual(counted(sent.filter(neverStored).map(({ type }) => type)))
    // Chromium 156 sends these, and no field has them.
    expect([...unknown].sort()).toEqual(['connection-allowlist.url', 'csp-hash.type'])
  })

  test('members that no field has are in `rest`, and pairs of a crash in `context`', async () => {
    const parsed = async (type: string, column: string) => {
      const found = await rows(tenantId, column, `AND report_type = '${type}' AND ${column} != '' ORDER BY ${column}`)
      return found.map(([json]) => JSON.parse(String(json)))
    }
    const members = (type: string, name: string) =>
      stored.filter((report) => report.type === type && name in report.body).map(({ body }) => body[name])
    const byText = (values: unknown[]) => values.map((value) => JSON.stringify(value)).sort()
    for (const [type, name] of [
      ['connection-allowlist', 'url'],
      ['csp-hash', 'type'],
    ] as const) {
      const values = (await parsed(type, 'rest')).map((rest) => rest[name])
      expect(values.length).toBeGreaterThan(0)
      expect(byText(values)).toEqual(byText(members(type, name)))
    }
    const pairs = await parsed('crash', 'context')
    expect(pairs.length).toBeGreaterThan(0)
    expect(byText(pairs)).toEqual(byText(members('crash', 'crash_report_api')).filter((text) => text !== '{}'))
  })

  test('the captured reports have their type, site, disposition and sample rate', async () => {
    const byType = await rows(tenantId, 'report_type, count()', 'GROUP BY report_type')
    expect(Object.fromEntries(byType)).toEqual(counted(stored.map(({ type }) => type)))

    const hostOf = ({ url, body }: (typeof sent)[number]) => new URL(url ?? body['document-uri']).hostname
    const siteOfHost = (host: string) =>
      Object.values(siteOf).find(
        ({ hosts }) => hosts.includes(host) || (host.endsWith('.nel.test') && hosts[0]?.startsWith('*')),
      )
    const bySite = await rows(tenantId, 'site_id, count()', 'GROUP BY site_id')
    expect(Object.fromEntries(bySite)).toEqual(counted(stored.map((report) => siteOfHost(hostOf(report))?.id)))

    const words: Record<string, string> = { enforce: 'enforce', report: 'report', reporting: 'report' }
    const byDisposition = await rows(tenantId, 'disposition, count()', 'GROUP BY disposition')
    const said = stored.map(({ body }) => {
      if (body.reportOnly !== undefined) return body.reportOnly ? 'report' : 'enforce'
      return words[body.disposition] ?? ''
    })
    expect(Object.fromEntries(byDisposition)).toEqual(counted(said))

    const weight = stored.reduce((sum, { body }) => sum + 1 / (body.sampling_fraction ?? 1), 0)
    expect(await rows(tenantId, 'toFloat64(sum(weight))')).toEqual([[weight * 1_000_000]])
  })

  test('the captured reports have their browser, and times and ids of their own', async () => {
    expect(
      await rows(tenantId, 'browser_name, os_name, device_type, count() AS n', 'GROUP BY ALL ORDER BY n DESC'),
    ).toEqual([
      ['Chrome', 'Linux', 'desktop', stored.filter(({ post }) => post.userAgent.includes('Chrome')).length],
      ['Firefox', 'Linux', 'desktop', stored.filter(({ post }) => post.userAgent.includes('Firefox')).length],
    ])
    const times = [...new Set(stored.map(({ post }) => post.receivedAt))].sort()
    expect(await rows(tenantId, 'toUnixTimestamp64Milli(received_at) AS at', 'GROUP BY at ORDER BY at')).toEqual(
      times.map((time) => [Date.parse(time)]),
    )
    const ordered = 'arraySort(groupArray(toString(id))) = groupArray(toString(id)), uniqExact(id)'
    const inOrder = `SELECT ${ordered} FROM (SELECT id FROM reports WHERE tenant_id = '${tenantId}' ORDER BY received_at, id)`
    expect(await queryRows(database, inOrder)).toEqual([[1, stored.length]])
  })
})

describe('a rejected file', () => {
  const crash = (url: string, reason = 'oom') => ({ type: 'crash', url, body: { reason } })
  const at = '2026-11-20T10:00:00Z'

  test('a rejected file has lines and single reports that can be imported again', async () => {
    const tenantId = newTenant()
    const mixed = {
      receivedAt: at,
      userAgent: 'UA',
      body: [crash('https://shop.example.test/'), crash('https://new.test/'), 7],
    }
    const lines = [
      JSON.stringify({ receivedAt: at, body: [crash('https://shop.example.test/')] }),
      '',
      '{"cut',
      JSON.stringify(mixed),
      `"${'x'.repeat(200_000)}"`,
      JSON.stringify({ receivedAt: 'never', body: [] }),
      JSON.stringify({ body: [crash('https://elsewhere.test/')] }),
    ]
    const { result, rejections } = await importSource(Readable.from([Buffer.from(lines.join('\r\n'))]), tenantId, {
      limits: { batchBytes: 1_000, maxLineBytes: 100_000 },
    })
    expect(result).toEqual({
      posts: 6,
      reports: 5,
      stored: 2,
      expired: 0,
      skipped: {},
      unknownMembers: {},
      rejected: 6,
    })
    const { body: _, ...wrapper } = mixed
    expect(rejections.map(({ bytes: _, ...rejection }) => rejection)).toEqual([
      { line: 3, reason: expect.stringContaining('not JSON'), content: { body: '{"cut' } },
      {
        line: 4,
        reason: expect.stringMatching(/new\.test .*; a report is not an object/),
        content: { ...wrapper, body: mixed.body.slice(1) },
      },
      { line: 5, reason: expect.stringContaining('200003 bytes'), content: {} },
      { line: 6, reason: expect.stringContaining('receivedAt'), content: { receivedAt: 'never', body: [] } },
      {
        line: 7,
        reason: expect.stringContaining('elsewhere.test'),
        content: { body: [crash('https://elsewhere.test/')], receivedAt: expect.any(String) },
      },
    ])

    // Imported again as they are, they are rejected again, but for the hosts that have a site now.
    const sites = [...Object.values(siteOf), { id: siteOf.shop.id.replace(/1$/, '6'), hosts: ['new.test'] }]
    const again = await importSource(Readable.from([rejections.map(toRejectedLine).join('\n')]), tenantId, { sites })
    expect(again.result).toEqual({
      posts: 5,
      reports: 3,
      stored: 1,
      expired: 0,
      skipped: {},
      unknownMembers: {},
      rejected: 5,
    })
    expect(again.rejections.map(({ line }) => line)).toEqual([1, 2, 3, 4, 5])
    expect(again.rejections[0]).toMatchObject({
      reason: expect.stringContaining('not JSON'),
      content: { body: '{"cut' },
    })
    expect(await rows(tenantId, 'count()')).toEqual([[3]])
  })

  test('nothing is rejected of a file with a byte order mark, CRLF and invalid UTF-8', async () => {
    const tenantId = newTenant()
    const line = Buffer.from(JSON.stringify({ receivedAt: at, body: [crash('https://shop.example.test/', 'a?b')] }))
    line[line.indexOf('?')] = 0xff
    const source = [Buffer.from([0xef, 0xbb]), Buffer.from([0xbf]), line, Buffer.from('\r\n\r\n')]
    const { result } = await importSource(Readable.from(source), tenantId)
    expect(result).toEqual({
      posts: 1,
      reports: 1,
      stored: 1,
      expired: 0,
      skipped: {},
      unknownMembers: {},
      rejected: 0,
    })
    expect(await rows(tenantId, 'feature')).toEqual([['a\ufffdb']])
  })
})

test('hostile text comes back from ClickHouse as it was sent', async () => {
  const tenantId = newTenant()
  const message = '; DROP TABLE reports; -- <script>\0\u0001\b\t\n\f\r\\N \\n \\ "\'` \u2028 é 😀\\'
  const body = { id: message, message, sourceFile: message.replaceAll('?', '') }
  const post = {
    receivedAt: '2026-11-20T10:00:00Z',
    body: [{ type: 'intervention', url: 'https://shop.example.test/', body }],
  }
  await importSource(Readable.from([JSON.stringify(post)]), tenantId)
  expect(await rows(tenantId, 'feature, message, source_file')).toEqual([[message, message, message]])
})

test('an aborted import stops, and goes on when it is repeated', async () => {
  const tenantId = newTenant()
  const body = [{ type: 'crash', url: 'https://shop.example.test/', body: { stack: 'x'.repeat(500) } }]
  const lines = Array.from({ length: 50 }, (_, index) =>
    JSON.stringify({ receivedAt: new Date(1.79e12 + index), body }),
  )
  const text = lines.join('\n')
  const limits = { batchBytes: 5_000, maxLineBytes: 5_000 }
  const ending = new AbortController()
  const ended = importSource(Readable.from([text]), tenantId, {
    limits,
    signal: ending.signal,
    onProgress: ({ reports }) => reports >= 20 && ending.abort(new Error('ended')),
  })
  await expect(ended).rejects.toThrow('ended')
  const { result } = await importSource(Readable.from([text]), tenantId, { limits })
  expect(result.stored).toBe(50)
  expect(await rows(tenantId, 'count()')).toEqual([[50]])
})
