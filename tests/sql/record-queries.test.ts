import { expect, test } from 'vitest'
import { listImmutableFields } from '../../queries/records/list-immutable-fields.ts'
import { listPreservedColumn } from '../../queries/records/list-preserved-column.ts'
import type { Query } from '../../queries/sql/query.ts'
import { render, sql } from '../../queries/sql/sql.ts'
import { tablesRead } from '../support/tenant-scope.ts'

const tenant = '11111111-1111-4111-8111-111111111111'
const ids = ['22222222-2222-4222-8222-222222222222']
const textOf = (query: Query<unknown>) => render(query.statement).text.replace(/\s+/g, ' ')

test('what is stored under an id is looked for in the tenant alone', () => {
  expect(tablesRead(textOf(listImmutableFields('page_scans', ['page_id'], tenant, ids)))).toEqual([
    { table: 'page_scans', isScoped: true },
  ])
  for (const withValue of [true, false]) {
    const kept = listPreservedColumn('page_scans', 'scripts', sql`score > 1`, tenant, ids, withValue)
    expect(textOf(kept)).toMatch(/FROM page_scans FINAL WHERE score > 1 AND tenant_id = \{p\d+:UUID\} AND /)
  }
})

test('what is of everyone is looked for by its id alone', () => {
  expect(textOf(listImmutableFields('library_files', ['hash'], undefined, ids))).toMatch(
    /FROM library_files FINAL WHERE toString\(library_files\.id\) IN /,
  )
})
