import type { EnabledRule } from '../../../../queries/alerts/rules.ts'
import type { IssueBounds } from '../../../../queries/issues/new-sightings.ts'
import type { AlertEvent } from '../../../../schema/alert-events.ts'
import type { AlertMessage, MessagePolicy, MessageScript } from '../alert-message.ts'

export type MessageData = Omit<AlertMessage['data'], 'alertId' | 'siteId' | 'siteName'>

interface ChangeEvent {
  readonly eventType: AlertEvent
  readonly siteId: string
  readonly subject: string
  readonly occurredAt: string
  /** No message is sent within a day of another of the event and site. */
  readonly flaps?: boolean
  /** Subject whose alert this one ends; without that alert, it is omitted. */
  readonly follows?: string
  /** Event of the same scan whose message includes this change, if the destination has a rule of it. */
  readonly includedIn?: AlertEvent | undefined
}

/** Several issues, policies or scripts can share a message. */
type ChangeSubject =
  | { readonly kind: 'page' | 'traffic'; readonly data: MessageData }
  | { readonly kind: 'issue'; readonly issueKey: bigint; readonly bounds: IssueBounds }
  | { readonly kind: 'policy'; readonly policy: MessagePolicy }
  | {
      readonly kind: 'script'
      readonly script: MessageScript
      /** True if immediate rules report the change in their digest too. */
      readonly waits?: boolean
    }

/** An event that rules can cover; each subject is in only one alert per event. */
export type Change = ChangeEvent & ChangeSubject

/** Changes before `since` are ignored. */
export interface Watched {
  readonly since: Date
  readonly now: Date
  readonly rules: readonly EnabledRule[]
}
