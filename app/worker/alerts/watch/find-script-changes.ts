import type { Database } from '../../../../queries/clickhouse/database.ts'
import { type FoundScriptChange, readScriptChanges } from '../../../../queries/scripts/read-script-changes.ts'
import { toReader } from '../../../../queries/sql/query.ts'
import { scriptEvent } from '../../../../schema/pci.ts'
import { scriptId } from '../../../../schema/rules/scripts/script-id.ts'
import { truncate } from '../../../import/normalise/truncate.ts'
import { type MessageScript, maxNamedLength, namedInMessage } from '../alert-message.ts'
import { scriptName, scriptText } from '../deliver/message-text.ts'
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
  const { siteId, scannedAt, url, hash, hashBefore, sample, change, decision, pageId, pageLabel, scanId } = found
  const script: MessageScript = {
    url: truncate(url, maxNamedLength),
    hash: hash || null,
    hashBefore,
    ...(sample !== null && { sample }),
    change,
    decision,
    pageId,
    pageLabel,
    scanId,
  }
  return { eventType: scriptEvent, siteId, subject, occurredAt: scannedAt, kind: 'script', script }
}

const changeTexts: Partial<Readonly<Record<MessageScript['change'], string>>> = {
  rejected: 'rejected script runs',
  returned: 'script back again',
}

function summaryText(script: MessageScript): string {
  const { change, pageLabel, sample } = script
  if (script.advisory || change === 'not_comparable') return scriptText(script)
  const inline = sample === undefined ? '' : 'inline '
  return `${pageLabel}: ${inline}${changeTexts[change] ?? `script ${change}`}, ${scriptName(script)}`
}

/** Data of a message of one or more scripts. */
export function describeScripts(siteId: string, scripts: readonly MessageScript[]): MessageData {
  const [first] = scripts
  const several = first?.advisory ? 'vulnerabilities of scripts' : 'changes of scripts on payment pages'
  const count = scripts.length.toLocaleString('en')
  const summary = first && scripts.length === 1 ? summaryText(first) : `${count} ${several}`
  const named = scripts.slice(0, namedInMessage)
  return { summary, scripts: named, scriptCount: scripts.length, path: `/v1/sites/${siteId}/scripts` }
}
