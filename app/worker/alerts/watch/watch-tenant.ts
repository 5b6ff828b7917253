import { listAlertedSubjects, listRecentAlerts, type RecentAlert } from '../../../../queries/alerts/alerts.ts'
import type { EnabledRule } from '../../../../queries/alerts/rules.ts'
import type { Database } from '../../../../queries/clickhouse/database.ts'
import { toReader } from '../../../../queries/sql/query.ts'
import { chunksOf } from '../../../../queries/sql/rows.ts'
import { listSites } from '../../../../queries/tenants/sites.ts'
import { burstEvent } from '../../../../schema/alert-events.ts'
import { dayMs, hourMs } from '../../../../schema/durations.ts'
import type { Change, MessageData } from './change.ts'
import { composeAlerts, type Draft } from './compose-alerts.ts'
import { describeBurst } from './find-bursts.ts'
import { describeIssues } from './find-new-issues.ts'
import { describePolicies } from './find-new-policies.ts'
import { describeScripts } from './find-script-changes.ts'
import { type SourcesRead, sourcesToRead } from './sources.ts'
import { storeAlert } from './store-alert.ts'

export interface Watch {
  readonly database: Pick<Database, 'read' | 'command'>
  readonly now: Date
  /** Throws if another worker has the lease. */
  readonly checkLease: () => Promise<void>
}

/** Changes up to this age have an alert; a worker that was down for longer skips those from before. */
const watchedMs = dayMs

/** A fifth of the longest statement that ClickHouse accepts. */
const maxSubjectsPerQuery = 5_000

/**
 * Stores an alert for each change of a tenant that its rules cover and that has no alert.
 * @param last data of the last complete pass; the result is the data of this pass.
 */
export async function watchTenant(
  watch: Watch,
  tenantId: string,
  rules: readonly EnabledRule[],
  last: SourcesRead,
): Promise<SourcesRead> {
  const { database, now } = watch
  const watched = { since: new Date(now.getTime() - watchedMs), now, rules }
  const { due, read } = await sourcesToRead(database, tenantId, { rules, last, now })
  const found = await Promise.all(due.map(({ find }) => find(database, tenantId, watched)))
  await storeAlerts(watch, tenantId, rules, found.flat())
  return read
}

async function storeAlerts(
  watch: Watch,
  tenantId: string,
  rules: readonly EnabledRule[],
  found: readonly Change[],
): Promise<void> {
  const { database, now, checkLease } = watch
  const changes = await withoutAlerted(database, tenantId, found)
  if (changes.length === 0) return
  const recent = await database.read(
    listRecentAlerts(tenantId, new Date(now.getTime() - 2 * dayMs), new Date(now.getTime() + 1)),
  )
  const ofLastHour = recent.filter(({ detectedAt }) => Date.parse(detectedAt) > now.getTime() - hourMs)
  const drafts = composeAlerts(withoutFlapping(changes, recent), rules, ofLastHour)
  if (drafts.length === 0) return
  const siteNames = new Map((await database.read(listSites(tenantId))).map(({ id, name }) => [id, name]))
  await checkLease()
  // During the deletion of a site, its reports exist longer than the site.
  const ofSites = drafts.filter(({ siteId }) => siteNames.has(siteId))
  for (const draft of ofSites) await storeDraft(watch, tenantId, draft, siteNames.get(draft.siteId))
}

async function withoutAlerted(
  { read }: Pick<Database, 'read'>,
  tenantId: string,
  changes: readonly Change[],
): Promise<Change[]> {
  const subjects = [...new Set(changes.flatMap(({ subject, follows = subject }) => [subject, follows]))]
  const queries = chunksOf(subjects, maxSubjectsPerQuery).map((some) => listAlertedSubjects(tenantId, some))
  const alerted = await toReader(read).readAll(queries)
  const names = new Set(alerted.map(({ eventType, subject }) => `${eventType}\n${subject}`))
  const isAlerted = (eventType: string, subject: string) => names.has(`${eventType}\n${subject}`)
  return changes.filter(
    ({ eventType, subject, follows }) =>
      !isAlerted(eventType, subject) && (follows === undefined || isAlerted(eventType, follows)),
  )
}

/** Omits changes of a source that flaps: within a day after another alert of their event and site. */
function withoutFlapping(changes: readonly Change[], recent: readonly RecentAlert[]): Change[] {
  const isRepeatOf = (told: Pick<RecentAlert, 'eventType' | 'siteId' | 'occurredAt'>, change: Change) => {
    const age = Date.parse(change.occurredAt) - Date.parse(told.occurredAt)
    return told.eventType === change.eventType && told.siteId === change.siteId && age >= 0 && age < dayMs
  }
  const begins: Pick<RecentAlert, 'eventType' | 'siteId' | 'occurredAt'>[] = recent.filter(({ isEnd }) => !isEnd)
  const held = new Set<Change>()
  const ofTraffic = changes.filter(({ kind, follows }) => kind === 'traffic' && follows === undefined)
  for (const change of ofTraffic.toSorted((a, b) => Date.parse(a.occurredAt) - Date.parse(b.occurredAt))) {
    if (change.flaps && begins.some((told) => isRepeatOf(told, change))) held.add(change)
    else begins.push(change)
  }
  return changes.filter((change) => !held.has(change))
}

async function storeDraft(
  { database, now }: Watch,
  tenantId: string,
  { eventType, siteId, changes, destinations, digestTo }: Draft,
  siteName: string | undefined,
): Promise<void> {
  const data = await describe(database, tenantId, siteId, changes)
  const subjects = changes.map(({ subject }) => subject).sort()
  const timestamp = changes.map(({ occurredAt }) => occurredAt).sort()[0] ?? now.toISOString()
  await storeAlert(database, {
    tenantId,
    kind: 'immediate',
    eventType,
    siteId,
    siteIds: [],
    subjects,
    destinations,
    digestTo,
    detectedAt: now,
    name: [eventType, ...subjects],
    message: { type: eventType, timestamp, data: { siteId, ...(siteName !== undefined && { siteName }), ...data } },
  })
}

/** Data of a message for changes, all of one kind. */
function describe(
  database: Pick<Database, 'read'>,
  tenantId: string,
  siteId: string,
  changes: Draft['changes'],
): MessageData | Promise<MessageData> {
  const [first] = changes
  if (first.eventType === burstEvent && first.kind === 'traffic' && !first.follows) {
    return describeBurst(database, tenantId, siteId, first.data)
  }
  if (first.kind === 'page' || first.kind === 'traffic') return first.data
  const scripts = changes.flatMap((change) => (change.kind === 'script' ? change.script : []))
  if (scripts.length > 0) return describeScripts(siteId, scripts)
  const policies = changes.flatMap((change) => (change.kind === 'policy' ? change.policy : []))
  if (policies.length > 0) return describePolicies(siteId, policies)
  const keys = changes.flatMap((change) => (change.kind === 'issue' ? change.issueKey : []))
  return describeIssues(database, tenantId, siteId, keys)
}
