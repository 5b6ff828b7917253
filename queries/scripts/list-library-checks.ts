import { z } from 'zod'
import type { Query } from '../query.ts'
import { rowTime } from '../rows.ts'
import type { AdvisoryCheck } from '../rules/script-advisories.ts'
import { sql, texts } from '../sql.ts'

const row = z
  .object({
    id: z.string(),
    checkedAt: rowTime,
    // Ours, and read back as it was written.
    advisories: z.string().transform((json): AdvisoryCheck['advisories'] => JSON.parse(json)),
  })
  .transform(({ id, ...check }) => ({ id, check }))

/** What advisory databases say about some libraries; nothing of one that they were never asked about. */
export function listLibraryChecks(ids: readonly string[]): Query<z.infer<typeof row>> {
  return {
    name: 'listLibraryChecks',
    statement: sql`SELECT id, checked_at AS checkedAt, advisories FROM library_advisories FINAL WHERE id IN ${texts(ids)}`,
    row,
  }
}

/** The id under which the advisories of a library are stored. */
export const libraryId = (catalog: string, name: string): string => `${catalog} ${name}`
