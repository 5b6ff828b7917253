import { z } from 'zod'
import type { AdvisoryCheck } from '../../schema/rules/scripts/script-advisories.ts'
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

/** Hostile reports can name every known library, and a request line is bounded. */
const maxIdsPerQuery = 500

/** No row for a library that was never checked. */
export function listLibraryChecks(ids: readonly string[]): Query<z.infer<typeof row>>[] {
  return chunksOf(ids, maxIdsPerQuery).map((some) => ({
    name: 'listLibraryChecks',
    statement: sql`
      SELECT id, checked_at AS checkedAt, advisories
      FROM library_advisories FINAL
      WHERE id IN ${texts(some)}`,
    row,
  }))
}

export const libraryId = (catalog: string, name: string): string => `${catalog} ${name}`
