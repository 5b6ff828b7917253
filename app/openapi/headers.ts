import type { JsonSchema } from './json-schema.ts'

const header = (description: string, schema: JsonSchema) => ({ description, required: true, schema })

const whole = (description: string, minimum: number) => header(description, { type: 'integer', minimum })

export const headers = {
  'X-Request-Id': header('The request id: the value that the client sent, otherwise a new one', {
    type: 'string',
    pattern: '^[A-Za-z0-9._-]{1,64}$',
  }),
  'Server-Timing': {
    description:
      'For valid keys: milliseconds in ClickHouse (`db`, all statements together) and `total`; `cache` is hit or miss',
    required: false,
    schema: { type: 'string', examples: ['cache;desc=miss, db;dur=8.1, total;dur=11.4'] },
  },
  'RateLimit-Limit': whole('Requests per minute of the budget closest to its limit', 1),
  'RateLimit-Remaining': whole('Remaining requests of that budget', 0),
  'RateLimit-Reset': whole(
    'Seconds until that budget is full again; if nothing remains, until it allows the next request',
    0,
  ),
  'RateLimit-Policy': header('Each budget that the operation uses, with its quota `q` and window `w` in seconds', {
    type: 'string',
    examples: ['"key";q=600;w=60, "tenant";q=2400;w=60'],
  }),
  RateLimit: header(
    'The remaining requests `r` of each budget, and the seconds `t` until it is full; if nothing remains, until it allows the next request',
    {
      type: 'string',
      examples: ['"key";r=599;t=1, "tenant";r=2399;t=1'],
    },
  ),
  'Retry-After': whole('Seconds to wait before retrying', 1),
  ETag: header(
    'Validator of the response, strong except for the JSON of the PCI report. Send it as If-None-Match to get the response only if it changed',
    {
      type: 'string',
      pattern: '^(W/)?"[\\w-]+"$',
    },
  ),
  Age: whole(
    'Reports stored in this number of seconds before the request can be missing: 0 for a response that was not cached, otherwise 1',
    0,
  ),
  Link: {
    description:
      'The next page, `rel="next"`: the request target with the next `cursor`, and with a narrower window if a list of over 10,000 reports continues there; of an export with `order=stored`, with the next `after`',
    required: false,
    schema: { type: 'string', examples: ['</v1/reports?limit=50&cursor=WzEs>; rel="next"'] },
  },
  'Export-Report-Count': whole('Number of reports in the export, counted before it', 0),
  'Next-Cursor': {
    description: 'With `order=stored`: the `after` of the next export',
    required: false,
    schema: { type: 'string', pattern: '^[\\w-]+$' },
  },
  'WWW-Authenticate': header('The scheme to authenticate with', { type: 'string', const: 'Bearer' }),
} as const

export type HeaderName = keyof typeof headers

/** Headers of every response after `chargeBudgets`, and of no other. */
export const budgetHeaderNames = [
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
] as const satisfies readonly HeaderName[]

/** @param optional headers that can be missing, inline because a reference cannot be optional. */
export function headerReferences(
  names: readonly HeaderName[],
  optional: readonly HeaderName[] = [],
): Record<string, object> {
  const all: readonly HeaderName[] = ['X-Request-Id', 'Server-Timing', ...names]
  return Object.fromEntries([
    ...all.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
    ...optional.map((name) => [name, { ...headers[name], required: false }]),
  ])
}
