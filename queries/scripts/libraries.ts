import { z } from 'zod'
import type { AdvisoryCheck } from '../../schema/rules/scripts/script-advisories.ts'
import type { Query } from '../sql/query.ts'
import { chunksOf, rowJson, rowTime } from '../sql/rows.ts'
import { sql, texts } from '../sql/sql.ts'

const libraryCheckRow = z
  .object({
    id: z.string(),
    checkedAt: rowTime,
    advisories: rowJson(z.custom<AdvisoryCheck['advisories']>()),
  })
  .transform(({ id, ...check }) => ({ id, check }))

/** Hostile reports can name every known library, and a request line is bounded. */
const maxIdsPerQuery = 500

/** No row for a library that was never checked. */
export function listLibraryChecks(ids: readonly string[]): Query<z.infer<typeof libraryCheckRow>>[] {
  return chunksOf(ids, maxIdsPerQuery).map((some) => ({
    name: 'listLibraryChecks',
    statement: sql`
      SELECT id, checked_at AS checkedAt, advisories
      FROM library_advisories FINAL
      WHERE id IN ${texts(some)}`,
    row: libraryCheckRow,
  }))
}

export const libraryId = (catalog: string, name: string): string => `${catalog} ${name}`

const releaseFileRow = z.object({ name: z.string(), version: z.string(), path: z.string(), hash: z.string() })

/** Stored files of libraries in these versions. */
export const listReleaseFiles = (
  names: readonly string[],
  versions: readonly string[],
): Query<z.infer<typeof releaseFileRow>> => ({
  name: 'listReleaseFiles',
  statement: sql`
    SELECT name, release AS version, path, id AS hash
    FROM library_files FINAL
    WHERE name IN ${texts(names)} AND release IN ${texts(versions)}`,
  row: releaseFileRow,
})
