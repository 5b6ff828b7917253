/** Error codes with status and description (Rules 9 and 10). */
export const problems = {
  bad_request: { status: 400, description: 'A parameter is invalid or unknown.' },
  invalid_api_key: { status: 401, description: 'The API key is missing, malformed, unknown, revoked or expired.' },
  plan_upgrade_required: { status: 403, description: 'The plan does not include API access or this data.' },
  forbidden: { status: 403, description: 'The key must not be used from this origin.' },
  not_found: { status: 404, description: 'The tenant has no such resource.' },
  method_not_allowed: { status: 405, description: 'The path allows only GET and HEAD.' },
  rate_limited: { status: 429, retries: true, description: 'A request budget is spent; wait Retry-After seconds.' },
  internal_error: { status: 500, description: 'The service failed; quote the request id.' },
  rate_limit_unavailable: {
    status: 503,
    retries: true,
    description: 'Budgets cannot be checked now; retry after Retry-After seconds.',
  },
  upstream_unavailable: {
    status: 503,
    retries: true,
    description: 'The reports cannot be read now; retry after Retry-After seconds.',
  },
} as const satisfies Record<string, { status: number; retries?: true; description: string }>

export type ProblemCode = keyof typeof problems

export const problemCodes = Object.keys(problems) as [ProblemCode, ...ProblemCode[]]

/** Documented, and not used today. */
export const reservedCodes = ['validation_error'] as const

/** `message` is sent to the client, `cause` only to the log. */
export class Problem extends Error {
  readonly code: ProblemCode
  /** Whole seconds, at least 1. */
  readonly retryAfterSeconds: number | undefined

  constructor(code: ProblemCode, message?: string, options: { retryAfterSeconds?: number; cause?: unknown } = {}) {
    super(message ?? problems[code].description, { cause: options.cause })
    this.name = 'Problem'
    this.code = code
    this.retryAfterSeconds = 'retries' in problems[code] ? (options.retryAfterSeconds ?? 1) : undefined
  }
}
