import { expect, test } from 'vitest'
import { planPasses } from '../../app/import/batch-passes.ts'
import { chooseSites } from '../../app/import/choose-site.ts'
import { createTally, type Rejection } from '../../app/import/import-tally.ts'
import { parseBatch } from '../../app/import/parse-batch.ts'
import { readBatches } from '../../app/import/read-batches.ts'
import { rowCollectors } from '../../app/import/row-parts.ts'

const limits = { batchBytes: 34 * 1024 * 1024, longestLine: 8 * 1024 * 1024 }
const siteId = '22222222-2222-4222-8222-222222222222'

/** What becomes of a file of one batch. */
async function imported(text: string, retentionFrom = 0) {
  const batch = await readBatches(
    (async function* () {
      yield text
    })(),
    limits,
  ).next('', [])
  if (!batch) throw new Error('No batch')
  const context = {
    tenantId: '11111111-1111-4111-8111-111111111111',
    retentionDays: 90,
    retentionFrom,
    chooseSite: chooseSites([{ id: siteId, hosts: [] }], siteId),
    collectRows: rowCollectors({ rows: 10, bytes: 1_000_000 }),
  }
  const rejections: Rejection[] = []
  const tally = createTally()
  const plan = planPasses(batch, '', [], [], 0)
  let rows = 0
  for await (const part of parseBatch(batch, plan, context, tally, (one) => void rejections.push(one)))
    rows += part.rows
  return { rejections, rows, result: tally.result() }
}

test('a line whose wrapper is long and whose reports are all refused does not fill the memory', async () => {
  const userAgent = 'x'.repeat(100_000)
  const line = JSON.stringify({ userAgent, body: Array.from({ length: 2_000 }, () => 1) })
  const { rejections } = await imported(`${line}\n`)
  expect(rejections).toHaveLength(2_000)
  expect(rejections[0]).toMatchObject({ line: 1, element: 0, text: JSON.stringify({ userAgent, body: [1] }) })
  const characters = rejections.reduce((sum, { text }) => sum + text.length, 0)
  expect(characters).toBeLessThan(34 * 1024 * 1024)
})

test('a report of more than a million characters is refused with its line, and the next line is read', async () => {
  const long = JSON.stringify({ body: [{ type: 'crash', body: { reason: 'x'.repeat(1_100_000) } }] })
  const { rejections } = await imported(`${long}\n[1]\n`)
  expect(rejections).toEqual([
    { line: 1, reason: 'more than 1048576 characters in one report', text: long },
    { line: 2, element: 0, reason: 'a report is not an object', text: '[1]' },
  ])
})

test('a line of more reports than a collector sends is refused as one', async () => {
  const line = `[${'1,'.repeat(500_000)}1]`
  const { rejections } = await imported(`${line}\n`)
  expect(rejections).toEqual([{ line: 1, reason: 'more than 500000 reports in one line', text: line }])
})

test('a report received before retention is sent, and counted as expired instead of stored', async () => {
  const from = Date.UTC(2026, 8, 1)
  const line = (receivedAt: number) =>
    `${JSON.stringify({ receivedAt: new Date(receivedAt).toISOString(), body: { type: 'crash', body: {} } })}\n`
  const { rows, result } = await imported(line(from - 1) + line(from) + line(from + 1), from)
  expect({ rows, result }).toMatchObject({ rows: 3, result: { reports: 3, stored: 2, expired: 1, rejected: 0 } })
})
