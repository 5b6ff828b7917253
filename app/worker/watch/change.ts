import type { AlertEvent } from '../../../schema/alert-events.ts'
import type { AlertMessage } from '../alert-message.ts'

/** What a rule can be about; a subject is in one alert of its event. */
export interface Change {
  readonly eventType: AlertEvent
  readonly siteId: string
  readonly subject: string
  readonly occurredAt: string
  /** Undefined for issues, whose texts are read for those that a message names. */
  readonly data?: Omit<AlertMessage['data'], 'alertId' | 'siteId' | 'siteName'>
  /** Of an issue that is one alert with others of its site. */
  readonly issueKey?: bigint
}
