import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { sql, texts } from '../sql/sql.ts'

const row = z.object({ name: z.string(), version: z.string(), path: z.string(), hash: z.string() })

/** Stored files of libraries in these versions. */
export const listReleaseFiles = (
  names: readonly string[],
  versions: readonly string[],
): Query<z.infer<typeof row>> => ({
  name: 'listReleaseFiles',
  statement: sql`
    SELECT name, release AS version, path, id AS hash
    FROM library_files FINAL
    WHERE name IN ${texts(names)} AND release IN ${texts(versions)}`,
  row,
})
