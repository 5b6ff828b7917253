import type { Database } from '../../../queries/clickhouse/database.ts'
import {
  type FirstDay,
  type IssueText,
  listFirstDays,
  listIssueTexts,
  listNewSightings,
} from '../../../queries/issues/new-sightings.ts'
import { newIssueEvent } from '../../../schema/alert-events.ts'
import { dayMs } from '../../../schema/durations.ts'
import { issueId } from '../../../schema/issue-id.ts'
import { namedInMessage } from '../alert-message.ts'
import type { Change, Watched } from './change.ts'

/** Issues of a pass, so subjects of a message; the rest follows in the next pass. */
const maxIssues = 1_000

/** Issues since then but those of a site's first day, which are one change when that day has ended. */
export async function findNewIssues(
  { read }: Pick<Database, 'read'>,
  tenantId: string,
  { since, now, rules }: Watched,
): Promise<Change[]> {
  const wanted = rules
    .filter(({ eventType }) => eventType === newIssueEvent)
    .map((rule) => ({ siteId: rule.siteId, since: new Date(rule.since) }))
  const [sightings, firstDays] = await Promise.all([
    read(listNewSightings(tenantId, { since, wanted }, maxIssues)),
    read(listFirstDays(tenantId, new Date(since.getTime() - dayMs), namedInMessage)),
  ])
  const single = sightings.map(
    ({ key, siteId, firstSeen }): Change => ({
      eventType: newIssueEvent,
      siteId,
      subject: issueId(key),
      occurredAt: firstSeen,
      issueKey: key,
    }),
  )
  const ended = firstDays.filter(({ firstSeen }) => Date.parse(firstSeen) + dayMs <= now.getTime())
  const days = ended.map(async (day) => firstDayChange(day, await read(listIssueTexts(tenantId, day.siteId, day.keys))))
  return [...single, ...(await Promise.all(days))]
}

function firstDayChange({ siteId, firstSeen, issueCount }: FirstDay, texts: readonly IssueText[]): Change {
  const summary =
    issueCount === 1 ? '1 issue on the first day' : `${issueCount.toLocaleString('en')} issues on the first day`
  return {
    eventType: newIssueEvent,
    siteId,
    subject: `first day of ${siteId}`,
    occurredAt: new Date(Date.parse(firstSeen) + dayMs).toISOString(),
    data: { summary, issueCount, issues: texts.map(toMessageIssue), path: `/v1/sites/${siteId}/issues` },
  }
}

const toMessageIssue = ({ key, ...text }: IssueText) => ({ id: issueId(key), ...text })

/** Data of a message of one or more new issues. */
export async function describeIssues(
  { read }: Pick<Database, 'read'>,
  tenantId: string,
  siteId: string,
  keys: readonly bigint[],
): Promise<NonNullable<Change['data']>> {
  const texts = await read(listIssueTexts(tenantId, siteId, keys.slice(0, namedInMessage)))
  const issues = texts.map(toMessageIssue)
  const [first] = issues
  const path = `/v1/sites/${siteId}/issues`
  if (keys.length > 1 || !first) {
    return { summary: `${keys.length.toLocaleString('en')} new issues`, issueCount: keys.length, issues, path }
  }
  const { directive, host, id } = first
  return {
    summary: `New issue: ${directive} blocks ${host || 'inline code'}`,
    issueCount: 1,
    issues,
    path: `${path}/${id}/reports?reportType=csp-violation`,
  }
}
