import type { ContentfulStatusCode } from 'hono/utils/http-status'

/** A response other than 204. `message` goes to the sender, `cause` only to the log. */
export class CollectorError extends Error {
  readonly status: ContentfulStatusCode
  readonly code: string
  /** Whole seconds, for a 429 or 503. */
  readonly retryAfterSeconds: number | undefined

  constructor(
    status: ContentfulStatusCode,
    code: string,
    message: string,
    options: { retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause })
    this.name = 'CollectorError'
    this.status = status
    this.code = code
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

const retryAfterSeconds = 5

export const unavailable = (cause?: unknown) =>
  new CollectorError(503, 'upstream_unavailable', 'Reports cannot be stored now; send them again', {
    retryAfterSeconds,
    cause,
  })

export const overloaded = () =>
  new CollectorError(503, 'overloaded', 'Too many reports are waiting to be stored; retry later', {
    retryAfterSeconds,
  })
