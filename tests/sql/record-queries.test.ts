import { expect, test } from 'vitest'
import { listImmutableFields } from '../../queries/records/list-immutable-fields.ts'
import { listPreservedColumn } from '../../queries/records/list-preserved-column.ts'
import { sql } from '../../queries/sql/sql.ts'
import { sqlText } from '../support/sql-text.ts'
import { tablesRead } from '../support/tenant-scope.ts'

const tenant = '11111111-1111-4111-8111-111111111111'
const ids = ['22222222-2222-4222-8222-222222222222']

test('a lookup of stored records by id is scoped to the tenant', () => {
  expect(tablesRead(sqlText(listImmutableFields('page_scans', ['page_id'], { tenantId: tenant, ids })))).toEqual([
    { table: 'page_scans', isScoped: true },
  ])
  for (const withValue of [true, false]) {
    const kept = listPreservedColumn('page_scans', 'scripts', {
      around: sql`score > 1`,
      tenantId: tenant,
      ids,
      withValue,
    })
    expect(sqlText(kept)).toMatch(/FROM page_scans FINAL WHERE score > 1 AND tenant_id = \{p\d+:UUID\} AND /)
  }
})

test('a lookup of global records has no tenant condition', () => {
  expect(sqlText(listImmutableFields('library_files', ['hash'], { tenantId: undefined, ids }))).toMatch(
    /FROM library_files FINAL WHERE toString\(library_files\.id\) IN /,
  )
})
