import type { FetchFailure } from '../../fetch/fetch-failure.ts'
import type { Guard } from '../../fetch/guard.ts'
import type { Destination } from './destination.ts'

export interface Outgoing {
  /** The same in every repeat. */
  readonly deliveryId: string
  readonly at: Date
  readonly summary: string
  /** Equal in messages about one subject. */
  readonly thread: string
  readonly siteId: string | undefined
  /** Link to the explorer. */
  readonly url?: string | undefined
  /** JSON of the message. */
  readonly payload: string
  readonly text: string
}

/** A failure has no address in it. */
export type SendResult =
  | { readonly isSent: true }
  | { readonly isSent: false; readonly failure: string; readonly isFinal: boolean; readonly retryAt?: Date | undefined }

export interface SendSettings {
  readonly guard: Guard
  readonly timeoutMs: number
  readonly smtpUrl: string | undefined
  readonly mailFrom: string | undefined
  /** Origin of the explorer. */
  readonly publicUrl?: string | undefined
}

export type Send = (destination: Destination, outgoing: Outgoing, settings: SendSettings) => Promise<SendResult>

export const sent: SendResult = { isSent: true }

/** The guard's message names the setting that would permit the request. */
export const failed = ({ message }: Pick<FetchFailure, 'message'>): SendResult => ({
  isSent: false,
  failure: message,
  isFinal: false,
})
