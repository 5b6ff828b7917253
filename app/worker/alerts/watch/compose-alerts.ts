/** @module Grouping of changes into messages, and their destinations. */

import type { RecentAlert } from '../../../../queries/alerts/alerts.ts'
import type { EnabledRule } from '../../../../queries/alerts/rules.ts'
import { boundsSuffix } from '../../../../queries/issues/new-sightings.ts'
import { groupBy } from '../../../../schema/rules/group-by.ts'
import type { Change } from './change.ts'

export interface Draft extends Pick<Change, 'eventType' | 'siteId'> {
  /** One change for a page, an hour or a first day; one or more for issues, scripts and policies. */
  readonly changes: readonly [Change, ...Change[]]
  readonly destinations: readonly string[]
  readonly digestTo: readonly string[]
}

/** Number of issues or scripts of a site up to which each has a separate message. */
const maxSingle = 3

/** Messages about issues or scripts per site, hour and immediate rule; policies are one message. */
export const maxGroupedPerHour = 12

/**
 * Messages of changes without one. A change of a page is always one message, because Rule 68 counts one change per
 * alert; others wait if the hour's limit is reached.
 * @param recent alerts of the last hour.
 */
export function composeAlerts(
  changes: readonly Change[],
  rules: readonly EnabledRule[],
  recent: readonly RecentAlert[],
): Draft[] {
  const covered = changes.flatMap((change) => {
    const covering = rules.filter(
      (rule) => covers(rule, change) && hasBounds(rule, change) && !isIncluded(rule, change, rules),
    )
    const of =
      change.kind === 'script' && change.waits
        ? covering.map((rule) => ({ ...rule, kind: 'digest' as const }))
        : covering
    return of.length > 0 ? [{ change, rules: of }] : []
  })
  const alone = covered.filter(isSingle)
  const groups = groupBy(
    covered.filter((one) => !isSingle(one)),
    ({ change, rules }) =>
      [change.siteId, change.eventType, ...rules.map(({ id, kind }) => `${id} ${kind}`)].join('\n'),
  )
  const messages = [...groups.values()].flatMap((group) =>
    group.length > maxSingle || isPolicy(group[0]) ? [group] : group.map((one) => [one]),
  )
  const sent = new Map<string, number>()
  const within = messages.filter(([first]) => {
    if (!first) return false
    const { siteId } = first.change
    const immediate = first.rules.filter(({ kind }) => kind === 'immediate').map((rule) => ({ ...rule, siteId }))
    const most = isPolicy(first) ? 1 : maxGroupedPerHour
    const countOf = (rule: EnabledRule) =>
      sent.get(`${rule.id} ${siteId}`) ?? recent.filter((alert) => isOfRule(alert, rule)).length
    if (immediate.some((rule) => countOf(rule) >= most)) return false
    for (const rule of immediate) sent.set(`${rule.id} ${siteId}`, countOf(rule) + 1)
    return true
  })
  return [...alone.map((one) => [one]), ...within].flatMap(toDraft)
}

interface Covered {
  readonly change: Change
  readonly rules: readonly EnabledRule[]
}

const isSingle = ({ change }: Covered) => change.kind === 'page' || change.kind === 'traffic'

const isPolicy = (one: Covered | undefined) => one?.change.kind === 'policy'

function toDraft(group: readonly Covered[]): Draft[] {
  const [first, ...others] = group
  if (!first) return []
  const { eventType, siteId } = first.change
  const destinationsOf = (kind: EnabledRule['kind']) => [
    ...new Set(first.rules.filter((rule) => rule.kind === kind).map(({ destinationId }) => destinationId)),
  ]
  const changes = [first.change, ...others.map(({ change }) => change)] as const
  return [{ eventType, siteId, changes, destinations: destinationsOf('immediate'), digestTo: destinationsOf('digest') }]
}

export const covers = (rule: EnabledRule, change: Pick<Change, 'eventType' | 'siteId' | 'occurredAt'>) =>
  rule.eventType === change.eventType &&
  (rule.siteId ?? change.siteId) === change.siteId &&
  change.occurredAt >= rule.since

/** Judged by the rules at the time of the change, so that a later pass does not send it either. */
const isIncluded = ({ kind, destinationId }: EnabledRule, change: Change, rules: readonly EnabledRule[]) =>
  rules.some(
    (rule) =>
      change.includedIn !== undefined &&
      rule.kind === kind &&
      rule.destinationId === destinationId &&
      covers(rule, { ...change, eventType: change.includedIn }),
  )

const hasBounds = (rule: EnabledRule, change: Change) =>
  change.kind !== 'issue' || boundsSuffix(rule) === boundsSuffix(change.bounds)

const isOfRule = (alert: RecentAlert, { eventType, siteId, destinationId }: EnabledRule) =>
  alert.eventType === eventType &&
  (siteId === null || siteId === alert.siteId) &&
  alert.destinations.includes(destinationId)
