import type { Database } from '../../../../queries/clickhouse/database.ts'
import { listNewPolicySites } from '../../../../queries/csp-policies/csp-policies.ts'
import { readQuotedPolicies } from '../../../../queries/csp-policies/read-quoted-policies.ts'
import { toReader } from '../../../../queries/sql/query.ts'
import { policyEvent } from '../../../../schema/alert-events.ts'
import { dayMs } from '../../../../schema/durations.ts'
import { mergeCspPolicies } from '../../../../schema/rules/csp/merge-csp-policies.ts'
import { truncate } from '../../../import/normalise/truncate.ts'
import { type MessagePolicy, maxNamedLength, namedInMessage } from '../alert-message.ts'
import type { Change, MessageData, Watched } from './change.ts'

/** Policies first quoted since then, at least a day after the site's first report. */
export async function findNewPolicies(
  { read }: Pick<Database, 'read'>,
  tenantId: string,
  { since, now }: Watched,
): Promise<Change[]> {
  const changes: Change[] = []
  for (const { siteId, firstSeen } of await read(listNewPolicySites(tenantId, since))) {
    const window = { from: 0, to: Math.ceil(now.getTime() / dayMs) * dayMs }
    const { policies } = await readQuotedPolicies(toReader(read), { tenantId, siteId, window, page: undefined })
    const newFrom = Math.max(since.getTime(), Date.parse(firstSeen) + dayMs)
    const isNew = (policy: MessagePolicy) => Date.parse(policy.firstSeen) >= newFrom
    changes.push(
      ...mergeCspPolicies(policies)
        .filter(isNew)
        .map((policy) => toChange(siteId, policy)),
    )
  }
  return changes
}

function toChange(siteId: string, { id, disposition, policy: text, firstSeen }: MessagePolicy): Change {
  const policy: MessagePolicy = { id, disposition, policy: truncate(text, maxNamedLength), firstSeen }
  return { eventType: policyEvent, siteId, subject: `${siteId} ${id}`, occurredAt: firstSeen, kind: 'policy', policy }
}

/** Data of a message of one or more policies. */
export function describePolicies(siteId: string, policies: readonly MessagePolicy[]): MessageData {
  const [first] = policies
  const summary =
    first && policies.length === 1
      ? `Reports quote a new policy (${first.disposition}): ${first.policy}`
      : `Reports quote ${policies.length.toLocaleString('en')} new policies`
  return {
    summary,
    policies: policies.slice(0, namedInMessage),
    policyCount: policies.length,
    path: `/v1/sites/${siteId}/csp-policies`,
  }
}
