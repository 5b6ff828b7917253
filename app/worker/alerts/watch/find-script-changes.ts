import type { Database } from '../../../../queries/clickhouse/database.ts'
import { findScriptChangesStart } from '../../../../queries/records/recording-start.ts'
import {
  type CurrentDecision,
  listCurrentDecisions,
  listEarlierTags,
  listFirstVersions,
  listScriptChanges,
  type ScriptChange,
} from '../../../../queries/scripts/list-script-changes.ts'
import { toReader } from '../../../../queries/sql/query.ts'
import { chunksOf } from '../../../../queries/sql/rows.ts'
import { dayMs } from '../../../../schema/durations.ts'
import { scriptEvent } from '../../../../schema/pci.ts'
import { scriptId } from '../../../../schema/rules/scripts/script-id.ts'
import { truncate } from '../../../import/normalise/truncate.ts'
import { type MessageScript, maxNamedLength, namedInMessage } from '../alert-message.ts'
import { scriptText } from '../deliver/message-text.ts'
import type { Change, MessageData, Watched } from './change.ts'

/** Newest scripts of the last day. */
const maxScripts = 1_000

/** Limits of a statement, whose values are part of its URL; a longer URL counts as having no decision. */
const [urlsPerQuery, maxDecidedLength] = [200, 1_000]

/** Scans up to this age are searched for the last hash of a script that the scan before could not read. */
const earlierMs = 30 * dayMs

/** Differences of payment pages' scripts from the page's previous scan, unless a decision allows them. */
export async function findScriptChanges(
  database: Pick<Database, 'read'>,
  tenantId: string,
  { since }: Watched,
): Promise<Change[]> {
  const { read, readAll } = toReader(database.read)
  const changes = (await read(listScriptChanges(tenantId, since, maxScripts))).reverse()
  const urls = [...new Set(changes.map(({ url }) => url))].filter(({ length }) => length <= maxDecidedLength)
  const chunks = chunksOf(urls, urlsPerQuery)
  const pageIds = chunksOf([...new Set(changes.map(({ pageId }) => pageId))], urlsPerQuery)
  const earlier = { since: new Date(since.getTime() - earlierMs) }
  const tagQueries = chunks.flatMap((some) =>
    pageIds.map((ids) => listEarlierTags(tenantId, { ...earlier, pageIds: ids, urls: some })),
  )
  const [decisions, versions, tags, [started]] = await Promise.all([
    readAll(chunks.map((some) => listCurrentDecisions(tenantId, some))),
    readAll(chunks.map((some) => listFirstVersions(tenantId, some))),
    readAll(tagQueries),
    read(findScriptChangesStart),
  ])
  const decisionOf = new Map(decisions.map((decision) => [`${decision.siteId} ${decision.url}`, decision]))
  const firstSeenOf = new Map(
    versions.map(({ siteId, url, hash, firstSeen }) => [`${siteId} ${url} ${hash}`, firstSeen]),
  )
  const tagsOf = new Map(tags.map(({ pageId, url, found }) => [`${pageId} ${url}`, found]))
  const bySubject = new Map<string, Change>()
  for (const change of changes) {
    const { siteId, pageId, url, hash, scannedAt } = change
    const firstSeen = firstSeenOf.get(`${siteId} ${url} ${hash}`) ?? scannedAt
    const decision = decisionOf.get(`${siteId} ${url}`)
    const before = (tagsOf.get(`${pageId} ${url}`) ?? []).filter(([time]) => time < Date.parse(scannedAt))
    const kind = kindOf(change, decision, before)
    if (kind === undefined || (kind !== 'removed' && isAllowed(hash, firstSeen, decision))) continue
    const script = scriptId(siteId, url)
    // Changes of earlier releases were found once per script and hash: the same subject gives no second alert.
    const isEarlier = started === undefined || Date.parse(scannedAt) < Date.parse(started.startedAt)
    if (isEarlier && (change.change === 'removed' || change.change === 'present')) continue
    const subject = isEarlier ? `${script} ${hash}` : `${change.scanId} ${kind} ${script} ${hash}`
    if (!bySubject.has(subject)) bySubject.set(subject, toChange(change, kind, subject))
  }
  return [...bySubject.values()]
}

type Kind = MessageScript['change']

/** Undefined if the script is as the last scan that could read it found it. @param before ascending. */
function kindOf(
  { change, hash, scannedAt, comparedAt }: ScriptChange,
  decision: CurrentDecision | undefined,
  before: readonly (readonly [time: number, hash: string])[],
): Kind | undefined {
  const isRejected = decision?.status === 'rejected' && decision.decidedAt <= scannedAt
  if (change === 'present') return isRejected && comparedAt < decision.decidedAt ? 'rejected' : undefined
  if (change === 'removed') return 'removed'
  const read = before.filter(([, found]) => found !== '')
  const last = read.at(-1)?.[0]
  const isKnown = read.some(([time, found]) => time === last && found === hash)
  if (change === 'changed' && (last === undefined || isKnown)) return undefined
  if (isRejected) return 'rejected'
  return change === 'added' && before.length > 0 ? 'returned' : change
}

/** A pin without a list covers the versions that the script had until then. */
function isAllowed(hash: string, firstSeen: string, decision: CurrentDecision | undefined): boolean {
  if (decision?.status !== 'authorized') return false
  if (decision.integrityMode !== 'pinned_hashes') return true
  return decision.pinnedHashes?.includes(hash) ?? (hash !== '' && firstSeen <= decision.decidedAt)
}

function toChange(found: ScriptChange, change: Kind, subject: string): Change {
  const { siteId, scannedAt, url, hash, pageId, pageLabel, scanId } = found
  const script: MessageScript = {
    url: truncate(url, maxNamedLength),
    hash: hash || null,
    change,
    pageId,
    pageLabel,
    scanId,
  }
  return { eventType: scriptEvent, siteId, subject, occurredAt: scannedAt, kind: 'script', script }
}

const changeText = (change: Kind | undefined) =>
  change === 'rejected' ? 'rejected script runs' : change === 'returned' ? 'script back again' : `script ${change}`

/** Data of a message of one or more scripts. */
export function describeScripts(siteId: string, scripts: readonly MessageScript[]): MessageData {
  const [first] = scripts
  const [one, several] = first?.advisory
    ? [scriptText(first), 'vulnerabilities of scripts']
    : [`${first?.pageLabel}: ${changeText(first?.change)}, ${first?.url}`, 'changes of scripts on payment pages']
  const summary = scripts.length === 1 ? one : `${scripts.length.toLocaleString('en')} ${several}`
  const named = scripts.slice(0, namedInMessage)
  return { summary, scripts: named, scriptCount: scripts.length, path: `/v1/sites/${siteId}/scripts` }
}
