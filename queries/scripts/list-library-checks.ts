import { z } from 'zod'
import type { AdvisoryCheck } from '../rules/scripts/script-advisories.ts'
import { chunksOf } from '../sql/chunks.ts'
import type { Query } from '../sql/query.ts'
import { rowJson, rowTime } from '../sql/rows.ts'
import { sql, texts } from '../sql/sql.ts'

const row = z
  .object({
    id: z.string(),
    checkedAt: rowTime,
    advisories: rowJson(z.custom<AdvisoryCheck['advisories']>()),
  })
  .transform(({ id, ...check }) => ({ id, check }))

/** Ids of one statement: a site's hostile reports can name as many libraries as are known, and URLs are bounded. */
const maxIdsPerQuery = 500

/** What advisory databases say about some libraries; nothing of one that they were never asked about. */
export function listLibraryChecks(ids: readonly string[]): Query<z.infer<typeof row>>[] {
  return chunksOf(ids, maxIdsPerQuery).map((some) => ({
    name: 'listLibraryChecks',
    statement: sql`SELECT id, checked_at AS checkedAt, advisories FROM library_advisories FINAL WHERE id IN ${texts(some)}`,
    row,
  }))
}

/** The id under which the advisories of a library are stored. */
export const libraryId = (catalog: string, name: string): string => `${catalog} ${name}`
