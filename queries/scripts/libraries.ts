import { z } from 'zod'
import type { AdvisoryCheck } from '../../schema/rules/scripts/script-advisories.ts'
import type { Query } from '../sql/query.ts'
import { chunksOf, rowJson, rowTime } from '../sql/rows.ts'
import { at, sql, texts, uint } from '../sql/sql.ts'
import { type InventoryFilter, scannedTags } from './script-inventory.ts'

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

const scannedVersionRow = z.object({
  url: z.string(),
  hash: z.string().nullable(),
  firstSeenAt: rowTime,
  lastSeenAt: rowTime,
  pageIds: z.array(z.string()),
})

/**
 * Bytes of scripts that scans of payment pages found since then, by URL and hash; the most recent ones if there are
 * more.
 */
export const listScannedVersions = (
  filter: InventoryFilter,
  { since, limit }: { readonly since: Date; readonly limit: number },
): Query<z.infer<typeof scannedVersionRow>> => ({
  name: 'listScannedVersions',
  statement: sql`
    SELECT *
    FROM (
      SELECT script_url AS url, nullIf(script_hash, '') AS hash, min(scanned_at) AS firstSeenAt,
        max(scanned_at) AS lastSeenAt, arraySort(groupUniqArray(page_id)) AS pageIds
      FROM ${scannedTags(filter)}
      GROUP BY script_url, script_hash
      HAVING lastSeenAt >= ${at(since)}
      ORDER BY lastSeenAt DESC, url, hash
      LIMIT ${uint(limit)})
    ORDER BY url, hash`,
  row: scannedVersionRow,
})
