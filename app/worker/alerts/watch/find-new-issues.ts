import type { EnabledRule } from '../../../../queries/alerts/rules.ts'
import type { Database } from '../../../../queries/clickhouse/database.ts'
import { listSourceDecisions, readKnownHosts } from '../../../../queries/csp-policies/known-sources.ts'
import {
  boundsSuffix,
  type FirstDay,
  type IssueFlood,
  type IssueText,
  listFirstDays,
  listIssueFloods,
  listIssueTexts,
  listNewSightings,
  mostNewIssues,
} from '../../../../queries/issues/new-sightings.ts'
import { newIssueEvent } from '../../../../schema/alert-events.ts'
import { dayMs, hourMs } from '../../../../schema/durations.ts'
import { issueId } from '../../../../schema/issue-id.ts'
import { parseUrl } from '../../../../schema/parse-url.ts'
import { groupBy } from '../../../../schema/rules/group-by.ts'
import { issueText, type MessageIssue, namedInMessage, utcText } from '../alert-message.ts'
import type { Change, MessageData, Watched } from './change.ts'

/** Issues of a pass, so subjects of a message; the rest follows in the next pass. */
const maxIssues = 1_000

/** Rules about new issues with the same bounds. */
export const rulesByBounds = (rules: readonly EnabledRule[]) => [
  ...groupBy(
    rules.filter(({ eventType }) => eventType === newIssueEvent),
    boundsSuffix,
  ).values(),
]

/** Query of new issues of the sites and times of rules with the same bounds. */
export const newOf = (since: Date, rules: readonly EnabledRule[]) => ({
  since,
  wanted: rules.map((rule) => ({ siteId: rule.siteId, since: new Date(rule.since) })),
  bounds: rules[0] ?? { minReports: 0, minBrowsers: 0 },
})

/** Issues since then, except those of a site's first day, which are one change after that day. */
export async function findNewIssues(
  { read }: Pick<Database, 'read'>,
  tenantId: string,
  { since, now, rules }: Watched,
): Promise<Change[]> {
  const [firstDays, floods] = await Promise.all([
    read(listFirstDays(tenantId, new Date(since.getTime() - dayMs), namedInMessage)),
    read(listIssueFloods(tenantId, since)),
  ])
  const flooded = floods.map(({ siteId }) => siteId)
  const single = await Promise.all(
    rulesByBounds(rules).map((own) => findSightings(read, tenantId, { since, rules: own, flooded })),
  )
  const ended = firstDays.filter(({ firstSeen }) => Date.parse(firstSeen) + dayMs <= now.getTime())
  const days = ended.map(async (day) => firstDayChange(day, await read(listIssueTexts(tenantId, day.siteId, day.keys))))
  return [...single.flat(), ...(await Promise.all(days)), ...floods.map((flood) => floodChange(flood, now))]
}

interface Sought extends Pick<Watched, 'since' | 'rules'> {
  readonly flooded: readonly string[]
}

async function findSightings(
  read: Database['read'],
  tenantId: string,
  { since, rules, flooded }: Sought,
): Promise<Change[]> {
  const issues = newOf(since, rules)
  const list = (known: KnownHosts) => read(listNewSightings(tenantId, { ...issues, isBounded: true, known }, maxIssues))
  const first = await list([])
  const many = first.length > namedInMessage ? first : []
  const siteIds = new Set([...many.map(({ siteId }) => siteId), ...flooded])
  const sightings = siteIds.size > 0 ? await list(await readHostsOf(read, tenantId, siteIds)) : first
  return sightings.map(({ key, siteId, firstSeen }) => ({
    eventType: newIssueEvent,
    siteId,
    subject: `${issueId(key)}${boundsSuffix(issues.bounds)}`,
    occurredAt: firstSeen,
    kind: 'issue',
    issueKey: key,
    bounds: issues.bounds,
  }))
}

type KnownHosts = NonNullable<Parameters<typeof listNewSightings>[1]['known']>

/** A fifth of the longest statement that ClickHouse accepts. */
const maxKnownHosts = 1_000

async function readHostsOf(read: Database['read'], tenantId: string, siteIds: ReadonlySet<string>) {
  const known: { siteId: string; host: string }[] = []
  for (const siteId of siteIds) {
    known.push(...(await readKnownHosts(read, tenantId, siteId)).map((host) => ({ siteId, host })))
  }
  return known.slice(0, maxKnownHosts)
}

function floodChange({ siteId, hour, issueCount }: IssueFlood, now: Date): Change {
  const count = issueCount.toLocaleString('en')
  const most = mostNewIssues.toLocaleString('en')
  const to = new Date(Date.parse(hour) + hourMs)
  return {
    eventType: newIssueEvent,
    siteId,
    subject: `${siteId} ${hour}`,
    occurredAt: new Date(Math.min(to.getTime(), now.getTime())).toISOString(),
    kind: 'traffic',
    data: {
      summary: `${count} new issues in the hour from ${utcText(hour)}: above ${most}, only known hosts and issues of high confidence trigger alerts`,
      hour,
      issueCount,
      path: `/v1/sites/${siteId}/issues?new=true&from=${hour}&to=${to.toISOString()}`,
    },
  }
}

function firstDayChange({ siteId, firstSeen, issueCount }: FirstDay, texts: readonly IssueText[]): Change {
  const summary =
    issueCount === 1 ? '1 issue on the first day' : `${issueCount.toLocaleString('en')} issues on the first day`
  return {
    eventType: newIssueEvent,
    siteId,
    subject: `first day of ${siteId}`,
    occurredAt: new Date(Date.parse(firstSeen) + dayMs).toISOString(),
    kind: 'traffic',
    data: { summary, issueCount, issues: texts.map(toMessageIssue), path: `/v1/sites/${siteId}/issues` },
  }
}

export const toMessageIssue = ({ key, ...text }: IssueText): MessageIssue => ({ id: issueId(key), ...text })

/** Data of a message of one or more new issues. */
export async function describeIssues(
  { read }: Pick<Database, 'read'>,
  tenantId: string,
  siteId: string,
  keys: readonly bigint[],
): Promise<MessageData> {
  const named = keys.slice(0, namedInMessage)
  const [texts, decisions] = await Promise.all([
    read(listIssueTexts(tenantId, siteId, named)),
    read(listSourceDecisions(tenantId, siteId)),
  ])
  const decisionOf = (issue: IssueText) =>
    decisions.findLast(
      ({ directive, source }) => directive === issue.directive && (parseUrl(source)?.host ?? source) === issue.host,
    )?.status ?? null
  // Sorted in the order of the keys, most important first.
  const sorted = texts.toSorted((a, b) => named.indexOf(a.key) - named.indexOf(b.key))
  const issues = sorted.map((issue) => ({ ...toMessageIssue(issue), decision: decisionOf(issue) }))
  const [first] = issues
  const path = `/v1/sites/${siteId}/issues`
  if (keys.length > 1 || !first) {
    return { summary: `${keys.length.toLocaleString('en')} new issues`, issueCount: keys.length, issues, path }
  }
  return {
    summary: `New issue: ${issueText(first)}`,
    issueCount: 1,
    issues,
    path: `${path}/${first.id}/reports?reportType=csp-violation`,
  }
}
