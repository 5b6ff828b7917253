import { expect, test } from 'vitest'
import { withPreserved } from '../../../../../app/import/records/preserved-column.ts'
import type { RecordRow } from '../../../../../app/import/records/record-type.ts'
import { scans } from '../../../../../app/import/records/types/scans.ts'
import type { Database } from '../../../../../queries/clickhouse/database.ts'
import { render } from '../../../../../queries/sql/sql.ts'

const idOf = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`
const ids = Array.from({ length: 120 }, (_, index) => idOf(index))

test('every scan preserves its stored scripts when many are imported again without them', async () => {
  const read = (async ({ statement }) => {
    const requested = JSON.stringify(render(statement).params)
    return ids.filter((id) => requested.includes(id)).map((id) => ({ id, value: `scripts of ${id}` }))
  }) as Database['read']
  const rows = ids.map((id) => ({ id, page_id: idOf(0), scanned_at: '2026-01-31 04:00:00.000' }))
  const stored: RecordRow[] = []
  for await (const some of withPreserved(scans, read, idOf(0), rows)) stored.push(...some)
  expect(stored).toEqual(rows.map((one) => ({ ...one, scripts: `scripts of ${one.id}` })))
})
