import { expect, test } from 'vitest'
import { completeScan } from '../../../../fixtures/scans.ts'
import { readScans } from '../../../../queries/scans/scans.ts'
import type { Query } from '../../../../queries/sql/query.ts'

const pageId = '00000000-0000-4000-8000-000000000001'
const [before, after] = ['00000000-0000-4000-8000-000000000002', '00000000-0000-4000-8000-000000000003']
const [comparedAt, scannedAt] = ['2026-11-01T00:00:00.000Z', '2026-11-02T00:00:00.000Z']
const ref = { pageId, id: after, scannedAt, consecutiveFailures: 0, comparedId: before, comparedAt }

const stored = [
  completeScan({ id: before, pageId, scannedAt: comparedAt, grade: 'A' }),
  completeScan({ id: after, pageId, scannedAt, grade: 'B' }),
]

/** Reads the scan from a store that holds only those of some ids. */
const readFrom = (...ids: readonly string[]) =>
  readScans(
    async <Row>(_: readonly Query<Row>[]) => stored.filter(({ id }) => ids.includes(id)) as unknown[] as Row[],
    'tenant',
    [ref],
  )

test('a scan is compared with the one before it', async () => {
  expect(await readFrom(before, after)).toMatchObject([{ id: after, changes: { gradeDroppedFrom: 'A' } }])
})

test.each([
  ['the scan', before],
  ['the scan it is compared with', after],
])('a database that does not hold %s yet gives no scans', async (_, held) => {
  await expect(readFrom(held)).rejects.toMatchObject({ code: 'upstream_unavailable' })
})
