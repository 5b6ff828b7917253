import type { Database } from '../../../../queries/clickhouse/database.ts'
import { type FoundScriptChange, readScriptChanges } from '../../../../queries/scripts/read-script-changes.ts'
import { toReader } from '../../../../queries/sql/query.ts'
import { scriptEvent } from '../../../../schema/pci.ts'
import { scriptId } from '../../../../schema/rules/scripts/script-id.ts'
import { truncate } from '../../../import/normalise/truncate.ts'
import { type MessageScript, maxNamedLength, namedInMessage } from '../alert-message.ts'
import { scriptText } from '../deliver/message-text.ts'
import type { Change, MessageData, Watched } from './change.ts'

/** Differences of payment pages' scripts from the page's previous scan, unless a decision allows them. */
export async function findScriptChanges(
  { read }: Pick<Database, 'read'>,
  tenantId: string,
  { since, now }: Watched,
): Promise<Change[]> {
  const decidedBy = () => now.getTime()
  const found = await readScriptChanges(toReader(read), { tenantId, since, decidedBy })
  const bySubject = new Map<string, Change>()
  for (const change of found) {
    const subject = subjectOf(change)
    if (!bySubject.has(subject)) bySubject.set(subject, toChange(change, subject))
  }
  return [...bySubject.values()]
}

/** Earlier releases told a script and hash once: the same subject gives no second alert. */
function subjectOf({ siteId, scanId, url, hash, change, isEarlier }: FoundScriptChange): string {
  const script = `${scriptId(siteId, url)} ${hash}`
  return isEarlier ? script : `${scanId} ${change} ${script}`
}

function toChange(found: FoundScriptChange, subject: string): Change {
  const { siteId, scannedAt, url, hash, change, pageId, pageLabel, scanId } = found
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

const changeText = (change: MessageScript['change'] | undefined) =>
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
