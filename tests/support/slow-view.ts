import { expect } from 'vitest'
import type { Database } from '../../queries/clickhouse/database.ts'
import { newUrl } from './collector-posts.ts'
import { queryRows } from './database.ts'

/** A view of `reports` that takes 3 s, so that an insert can be cut off between its part and its views. */
export interface SlowView {
  /** Posts a page until one is in `reports` and not in the view's table; a busy machine can see that too late. */
  halfStored<Posted>(post: (page: string) => Posted): Promise<{ readonly page: string; readonly posted: Posted }>
  /** Rows of the page in the view's table. */
  count(page: string): Promise<number>
}

/** @param database of the table `reports`, as the writer. */
export async function createSlowView(database: Database): Promise<SlowView> {
  await database.command(
    'CREATE TABLE slow (tenant_id UUID, page String) ENGINE = MergeTree ORDER BY page SETTINGS non_replicated_deduplication_window = 100',
  )
  await database.command(
    'CREATE MATERIALIZED VIEW a_slow_mv TO slow AS SELECT tenant_id, document_url AS page FROM reports WHERE sleep(3) = 0',
  )
  const countIn = async (table: string, column: string, page: string) => {
    const [[count] = []] = await queryRows(database, `SELECT count() FROM ${table} WHERE ${column} = '${page}'`)
    return Number(count)
  }
  const count = (page: string) => countIn('slow', 'page', page)
  return {
    count,
    async halfStored(post) {
      for (;;) {
        const page = newUrl()
        const posted = post(page)
        await expect.poll(() => countIn('reports', 'document_url', page), { interval: 20 }).toBe(1)
        if ((await count(page)) === 0) return { page, posted }
        await posted
      }
    },
  }
}
