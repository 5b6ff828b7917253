import { expect, test } from 'vitest'
import { planPasses } from '../../app/import/batch-passes.ts'
import { chooseSites } from '../../app/import/choose-site.ts'
import { createTally, type Rejection } from '../../app/import/import-tally.ts'
import { parseBatch } from '../../app/import/parse-batch.ts'
import { readBatches } from '../../app/import/read-batches.ts'
import { rowCollectors } from '../../app/import/row-parts.ts'

const limits = { batchBytes: 34 * 1024 * 1024, longestLine: 8 * 1024 * 1024 }
const siteId = '22222222-2222-4222-8222-222222222222'

/** What is rejected of a file of one batch. */
async function rejected(text: string): Promise<Rejection[]> {
  const batch = await readBatches(
    (async function* () {
      yield text
    })(),
    limits,
  ).next('', [])
  if (!batch) return []
  const context = {
    tenantId: '11111111-1111-4111-8111-111111111111',
    retentionDays: 90,
    chooseSite: chooseSites([{ id: siteId, hosts: [] }], siteId),
    collectRows: rowCollectors({ rows: 10, bytes: 1_000_000 }),
  }
  const rejections: Rejection[] = []
  const plan = planPasses(batch, '', [], [], 0)
  for await (const _ of parseBatch(batch, plan, context, createTally(), (one) => void rejections.push(one)));
  return rejections
}

test('a line whose wrapper is long and whose reports are all refused does not fill the memory', async () => {
  const userAgent = 'x'.repeat(100_000)
  const line = JSON.stringify({ userAgent, body: Array.from({ length: 2_000 }, () => 1) })
  const rejections = await rejected(`${line}\n`)
  expect(rejections).toHaveLength(2_000)
  expect(rejections[0]).toMatchObject({ line: 1, element: 0, text: JSON.stringify({ userAgent, body: [1] }) })
  const characters = rejections.reduce((sum, { text }) => sum + text.length, 0)
  expect(characters).toBeLessThan(34 * 1024 * 1024)
})

test('a report of more than a million characters is refused with its line, and the next line is read', async () => {
  const long = JSON.stringify({ body: [{ type: 'crash', body: { reason: 'x'.repeat(1_100_000) } }] })
  expect(await rejected(`${long}\n[1]\n`)).toEqual([
    { line: 1, reason: 'more than 1048576 characters in one report', text: long },
    { line: 2, element: 0, reason: 'a report is not an object', text: '[1]' },
  ])
})

test('a line of more reports than a collector sends is refused as one', async () => {
  const line = `[${'1,'.repeat(500_000)}1]`
  expect(await rejected(`${line}\n`)).toEqual([{ line: 1, reason: 'more than 500000 reports in one line', text: line }])
})
