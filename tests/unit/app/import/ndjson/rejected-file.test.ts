import { expect, test } from 'vitest'
import { readBatches } from '../../../../../app/import/ndjson/read-batches.ts'
import { type Rejection, toRejectedLine } from '../../../../../app/import/ndjson/rejected-line.ts'
import { chooseSites } from '../../../../../app/import/reports/choose-site.ts'
import { createTally } from '../../../../../app/import/reports/import-tally.ts'
import { parseBatch } from '../../../../../app/import/reports/parse-batch.ts'

const limits = { batchBytes: 34 * 1024 * 1024, maxLineBytes: 2 * 1024 * 1024 }
const siteId = '22222222-2222-4222-8222-222222222222'

/** What becomes of a file of one batch. */
async function imported(text: string, { retentionFrom = 0, importedAt = 0 } = {}) {
  const batch = await readBatches(
    (async function* () {
      yield text
    })(),
    limits,
  ).next('', [])
  if (!batch) throw new Error('No batch')
  const context = {
    tenantId: '11111111-1111-4111-8111-111111111111',
    retentionFrom,
    ranges: [{ storedFrom: retentionFrom, retentionDays: 90, expiredBefore: 0, state: 'open' as const }],
    chooseSite: chooseSites([{ id: siteId, hosts: [] }], siteId),
    urlMasks: new Map(),
    importedAt,
    blockLimits: { rows: 10, bytes: 1_000_000 },
  }
  const rejections: Rejection[] = []
  const tally = createTally()
  let rows = 0
  for await (const { block } of parseBatch(batch, context, tally, (one) => void rejections.push(one)))
    rows += block.rows
  return { rejections, rows, result: tally.result() }
}

test('a line with a long wrapper and only rejected reports is rejected as one line', async () => {
  const userAgent = 'x'.repeat(100_000)
  const line = JSON.stringify({ userAgent, body: Array.from({ length: 2_000 }, () => 1) })
  const { rejections, result } = await imported(`${line}\n`)
  expect(rejections).toEqual([
    {
      line: 1,
      reason: 'a report is not an object',
      content: { ...JSON.parse(line), receivedAt: '1970-01-01T00:00:00.000Z' },
      bytes: line.length,
    },
  ])
  expect(result).toMatchObject({ reports: 2_000, rejected: 2_000 })
})

test('a line of more than 10,000 reports is one rejection, below twice its bytes', async () => {
  const line = `[${'1e20,'.repeat(400_000)}1]`
  const { rejections, result } = await imported(`${line}\n`)
  expect(rejections.map(({ reason }) => reason)).toEqual(['the body has 400001 reports; the maximum is 10000'])
  expect(result).toMatchObject({ posts: 1, reports: 0, rejected: 1 })
  expect(Buffer.byteLength(rejections.map(toRejectedLine).join('\n'))).toBeLessThan(2 * line.length)
})

test('a line received more than a day after its import is rejected at every repeat', async () => {
  const importedAt = Date.UTC(2026, 8, 1)
  const line = (receivedAt: number) =>
    `${JSON.stringify({ receivedAt: new Date(receivedAt).toISOString(), body: [] })}\n`
  const { rejections } = await imported(line(importedAt + 86_400_000) + line(importedAt + 86_400_001), { importedAt })
  expect(rejections).toMatchObject([{ line: 2, reason: 'receivedAt must be at most one day in the future' }])
})

test('members of a body that nothing stores are counted by type and name, in any type', async () => {
  const body = {
    reason: 'oom',
    is_top_level: true,
    crash_report_api: { build: '1' },
    __proto__x: 1,
    directive: 'img-src',
  }
  const reports = [
    { type: 'crash', url: 'https://a.test/', body },
    { type: 'crash', url: 'https://a.test/', body: { crash_report_api: {} } },
    { type: 'coep', url: 'https://a.test/', body: { blockedURL: 'https://b.test/', effectiveDirective: 'img-src' } },
    { type: 'made-up', url: 'https://a.test/', body: { any: 1 } },
    { 'csp-report': { 'document-uri': 'https://a.test/', 'violated-directive': 'img-src', 'blocked-uri': 'inline' } },
  ]
  const { result } = await imported(`${JSON.stringify(reports)}\n`)
  expect(result).toMatchObject({ stored: 4, skipped: { 'made-up': 1 } })
  expect(result.unknownMembers).toEqual({
    'coep.effectiveDirective': 1,
    'crash.__proto__x': 1,
    'crash.directive': 1,
  })
})

test('a line names five of its reasons at most', async () => {
  const line = JSON.stringify({
    site: siteId.replaceAll('2', '3'),
    body: [1, {}, { type: 'crash' }, { type: 'crash', body: {} }],
  })
  const { rejections } = await imported(`${line}\n`)
  expect(rejections[0]?.reason.split('; ')).toEqual([
    'a report is not an object',
    'a report has no type',
    'a report has no body',
    expect.stringContaining('the tenant has no site'),
  ])
})

test('a report received before retention is counted as expired, and not sent', async () => {
  const from = Date.UTC(2026, 8, 1)
  const line = (receivedAt: number) =>
    `${JSON.stringify({ receivedAt: new Date(receivedAt).toISOString(), body: { type: 'crash', body: {} } })}\n`
  const { rows, result } = await imported(line(from - 1) + line(from) + line(from + 1), {
    retentionFrom: from,
    importedAt: from,
  })
  expect({ rows, result }).toMatchObject({ rows: 2, result: { reports: 3, stored: 2, expired: 1, rejected: 0 } })
})
