import { dayMs } from '../../schema/durations.ts'
import { groupBy } from '../../schema/rules/group-by.ts'
import { isAllowedScript, type ScriptChangeKind, scriptChangeKind } from '../../schema/rules/scripts/script-changes.ts'
import { findScriptChangesStart } from '../records/recording-start.ts'
import type { Reader } from '../sql/query.ts'
import { chunksOf } from '../sql/rows.ts'
import {
  listDecisions,
  listEarlierTags,
  listFirstVersions,
  listScriptChanges,
  type ScriptChange,
} from './list-script-changes.ts'

/** Newest differences of a read. */
const maxScripts = 1_000

/** Limits of a statement, whose values are part of its URL; a longer URL counts as having no decision. */
const [valuesPerQuery, maxDecidedLength] = [200, 1_000]

/** Scans up to this age are searched for the last hash of a script that the scan before could not read. */
const earlierMs = 30 * dayMs

export interface FoundScriptChange extends Omit<ScriptChange, 'change' | 'sample'> {
  readonly change: ScriptChangeKind
  /** Start of an inline script, whose URL is `inline`; null for other scripts. */
  readonly sample: string | null
  /** Hash in the last earlier scan that could read the script; null if there is none. */
  readonly hashBefore: string | null
  readonly decision: 'authorized' | 'rejected' | 'unreviewed'
  /** Found as releases before the start of changes per scan found it. */
  readonly isEarlier: boolean
}

interface ScriptChanges {
  readonly tenantId: string
  /** Every site of the tenant without it. */
  readonly siteId?: string
  readonly since: Date
  /** Latest time of a decision that allows a change found at `scannedAt`, in milliseconds since the Unix epoch. */
  readonly decidedBy: (scannedAt: number) => number
}

/** Changes of scripts that no decision allows, oldest first; a removal is always one. */
export async function readScriptChanges({ read, readAll }: Reader, given: ScriptChanges): Promise<FoundScriptChange[]> {
  const { tenantId, since, decidedBy } = given
  const changes = (await read(listScriptChanges(given, maxScripts))).reverse()
  if (changes.length === 0) return []
  const urls = [...new Set(changes.map(({ url }) => url))].filter(({ length }) => length <= maxDecidedLength)
  const chunks = chunksOf(urls, valuesPerQuery)
  const pages = chunksOf([...new Set(changes.map(({ pageId }) => pageId))], valuesPerQuery)
  const earlier = new Date(since.getTime() - earlierMs)
  const [decisions, versions, tags, [started]] = await Promise.all([
    readAll(chunks.map((some) => listDecisions(tenantId, some))),
    readAll(chunks.map((some) => listFirstVersions(tenantId, some))),
    readAll(
      chunks.flatMap((some) =>
        pages.map((pageIds) => listEarlierTags(tenantId, { pageIds, urls: some, since: earlier })),
      ),
    ),
    read(findScriptChangesStart),
  ])
  const keyOf = (...parts: readonly string[]) => parts.join(' ')
  const decisionsOf = groupBy(decisions, ({ siteId, url }) => keyOf(siteId, url))
  const firstSeenOf = new Map(versions.map((one) => [keyOf(one.siteId, one.url, one.hash), one.firstSeen]))
  const tagsOf = new Map(tags.map(({ pageId, url, found }) => [keyOf(pageId, url), found]))
  return changes.flatMap((difference) => {
    const { siteId, pageId, url, hash, scannedAt } = difference
    const time = Date.parse(scannedAt)
    const decision = decisionsOf
      .get(keyOf(siteId, url))
      ?.findLast(({ decidedAt }) => Date.parse(decidedAt) <= decidedBy(time))
    const before = (tagsOf.get(keyOf(pageId, url)) ?? []).filter(([earlierTime]) => earlierTime < time)
    const change = scriptChangeKind(difference, decision, before)
    const firstSeen = firstSeenOf.get(keyOf(siteId, url, hash)) ?? scannedAt
    if (change === undefined || (change !== 'removed' && isAllowedScript(hash, firstSeen, decision))) return []
    const isEarlier = started === undefined || time < Date.parse(started.startedAt)
    if (isEarlier && (difference.change === 'removed' || difference.change === 'present')) return []
    const hashBefore = before.findLast(([, found]) => found !== '')?.[1] ?? null
    const own = url.startsWith('inline:') ? { url: 'inline' } : { sample: null }
    return [{ ...difference, ...own, change, isEarlier, hashBefore, decision: decision?.status ?? 'unreviewed' }]
  })
}
