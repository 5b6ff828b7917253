import type { Database } from '../../../../queries/clickhouse/database.ts'
import {
  type CurrentDecision,
  listCurrentDecisions,
  listFirstVersions,
  listScriptChanges,
  type ScriptChange,
} from '../../../../queries/scripts/list-script-changes.ts'
import { toReader } from '../../../../queries/sql/query.ts'
import { chunksOf } from '../../../../queries/sql/rows.ts'
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

/** Scripts of payment pages that the page's previous scan did not have, unless a decision allows them. */
export async function findScriptChanges(
  database: Pick<Database, 'read'>,
  tenantId: string,
  { since }: Watched,
): Promise<Change[]> {
  const { read, readAll } = toReader(database.read)
  const changes = (await read(listScriptChanges(tenantId, since, maxScripts))).reverse()
  const urls = [...new Set(changes.map(({ url }) => url))].filter(({ length }) => length <= maxDecidedLength)
  const chunks = chunksOf(urls, urlsPerQuery)
  const [decisions, versions] = await Promise.all([
    readAll(chunks.map((some) => listCurrentDecisions(tenantId, some))),
    readAll(chunks.map((some) => listFirstVersions(tenantId, some))),
  ])
  const decisionOf = new Map(decisions.map((decision) => [`${decision.siteId} ${decision.url}`, decision]))
  const firstSeenOf = new Map(
    versions.map(({ siteId, url, hash, firstSeen }) => [`${siteId} ${url} ${hash}`, firstSeen]),
  )
  const bySubject = new Map<string, Change>()
  for (const change of changes) {
    const { siteId, url, hash } = change
    const firstSeen = firstSeenOf.get(`${siteId} ${url} ${hash}`) ?? change.scannedAt
    if (isAllowed(hash, firstSeen, decisionOf.get(`${siteId} ${url}`))) continue
    const subject = `${scriptId(siteId, url)} ${hash}`
    if (!bySubject.has(subject)) bySubject.set(subject, toChange(change, subject))
  }
  return [...bySubject.values()]
}

/** A pin without a list covers the versions that the script had until then. */
function isAllowed(hash: string, firstSeen: string, decision: CurrentDecision | undefined): boolean {
  if (decision?.status !== 'authorized') return false
  if (decision.integrityMode !== 'pinned_hashes') return true
  return decision.pinnedHashes?.includes(hash) ?? (hash !== '' && firstSeen <= decision.decidedAt)
}

function toChange({ siteId, scannedAt, url, hash, isNew, ...page }: ScriptChange, subject: string): Change {
  const { pageId, pageLabel, scanId } = page
  const script: MessageScript = {
    url: truncate(url, maxNamedLength),
    hash: hash || null,
    change: isNew ? 'added' : 'changed',
    pageId,
    pageLabel,
    scanId,
  }
  return { eventType: scriptEvent, siteId, subject, occurredAt: scannedAt, kind: 'script', script }
}

/** Data of a message of one or more scripts. */
export function describeScripts(siteId: string, scripts: readonly MessageScript[]): MessageData {
  const [first] = scripts
  const [one, several] = first?.advisory
    ? [scriptText(first), 'vulnerabilities of scripts']
    : [`${first?.pageLabel}: script ${first?.change}, ${first?.url}`, 'scripts of payment pages were added or changed']
  const summary = scripts.length === 1 ? one : `${scripts.length.toLocaleString('en')} ${several}`
  const named = scripts.slice(0, namedInMessage)
  return { summary, scripts: named, scriptCount: scripts.length, path: `/v1/sites/${siteId}/scripts` }
}
