import { countBefore, hasManyRows, withEarlierCounts } from '../../../queries/reports/count-before.ts'
import { groupReports, type Ranking, type ReportGroup } from '../../../queries/reports/group-reports.ts'
import {
  addGroups,
  areLargest,
  groupHashes,
  hasFewValues,
  isRankedByHash,
  rankFewValues,
  rankHashes,
} from '../../../queries/reports/values.ts'
import type { Reader } from '../../../queries/sql/query.ts'

/** Same result as `groupReports`, by one of two faster ways if it proves to be exact. */
export async function rankReports(ranking: Ranking, { read, readAll }: Reader): Promise<readonly ReportGroup[]> {
  if (hasFewValues(ranking)) {
    const groups = addGroups(await readAll(rankFewValues(ranking)), ranking.limit)
    if (groups) return groups
  }
  const { previous } = ranking
  if (!previous || !hasManyRows(ranking)) return largestGroups(ranking, read)
  const groups = await largestGroups({ ...ranking, previous: undefined }, read)
  if (groups.length === 0) return groups
  return withEarlierCounts(groups, await read(countBefore({ ...ranking, previous }, groups)))
}

async function largestGroups(ranking: Ranking, read: Reader['read']): Promise<readonly ReportGroup[]> {
  if (isRankedByHash(ranking)) {
    const hashes = await read(rankHashes(ranking))
    if (areLargest(hashes, hashes, ranking)) {
      const groups = await read(groupHashes(ranking, hashes))
      if (areLargest(groups, hashes, ranking)) return groups
    }
  }
  return read(groupReports(ranking))
}
