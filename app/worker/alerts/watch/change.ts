import type { EnabledRule } from '../../../../queries/alerts/rules.ts'
import type { AlertEvent } from '../../../../schema/alert-events.ts'
import type { AlertMessage, MessagePolicy, MessageScript } from '../alert-message.ts'

/** An event for a rule; a subject is in only one alert of its event. */
export interface Change {
  readonly eventType: AlertEvent
  readonly siteId: string
  readonly subject: string
  readonly occurredAt: string
  /** Undefined for issues, policies and scripts: several can share a message. */
  readonly data?: Omit<AlertMessage['data'], 'alertId' | 'siteId' | 'siteName'>
  readonly issueKey?: bigint
  readonly policy?: MessagePolicy
  readonly script?: MessageScript
  /** True if immediate rules report the change in their digest too. */
  readonly waits?: boolean
}

/** Changes from before `since` are no news. */
export interface Watched {
  readonly since: Date
  readonly now: Date
  readonly rules: readonly EnabledRule[]
}
