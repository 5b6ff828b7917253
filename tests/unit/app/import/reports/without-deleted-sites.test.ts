import { expect, test } from 'vitest'
import { withoutDeletedSites } from '../../../../../app/import/reports/without-deleted-sites.ts'
import type { Database } from '../../../../../queries/clickhouse/database.ts'
import type { Query } from '../../../../../queries/sql/query.ts'

const stored = new Set(['one/a', 'two/b'])
const database = {
  async read({ statement }: Query<unknown>) {
    const [tenantId, siteIds] = statement.values.map(({ value }) => value)
    return [siteIds].flat().flatMap((id) => (stored.has(`${tenantId}/${id}`) ? [{ id }] : []))
  },
} as unknown as Pick<Database, 'read'>

test('items of deleted sites, and of sites of another tenant, are left out', async () => {
  const items = ['one/a', 'one/b', 'one/gone', 'two/a', 'two/b'].map((name) => {
    const [tenantId = '', siteId = ''] = name.split('/')
    return { tenantId, siteId, name }
  })
  const left = await withoutDeletedSites(database, items)
  expect(left.map(({ name }) => name)).toEqual(['one/a', 'two/b'])
})
