import { zValidator } from '@hono/zod-validator'
import type { MiddlewareHandler } from 'hono'
import { z } from 'zod'
import { isAddition } from '../../schema/additions.ts'
import { Problem } from '../../schema/problems.ts'
import type { Endpoint } from './endpoint.ts'
import { querySchema } from './query-schema.ts'
import { quoteInput } from './quote-input.ts'
import type { ApiEnv, Params } from './request-context.ts'
import { explainUnknown } from './unknown-parameters.ts'

type Fields = Readonly<Record<string, z.ZodType>>

/** Throws bad_request that names the parameter. */
export function validate(endpoint: Endpoint): MiddlewareHandler<ApiEnv>[] {
  const hasPath = Object.keys(endpoint.pathParams).length > 0
  const query = querySchema(endpoint)
  return [
    validateQuery(query),
    ...(hasPath ? [validateFields('param', endpoint.pathParams)] : []),
    collectParams(endpoint, query),
  ]
}

/** A key of one site may leave out the site, which `collectParams` fills in. */
function validateQuery(fields: Fields): MiddlewareHandler<ApiEnv> {
  const ofTenant = validateFields('query', fields)
  if (!fields.siteId) return ofTenant
  const ofSite = validateFields('query', { ...fields, siteId: fields.siteId.optional() })
  return (c, next) => (c.get('caller').siteId === null ? ofTenant : ofSite)(c, next)
}

const validateFields = (target: 'param' | 'query', fields: Fields): MiddlewareHandler<ApiEnv> =>
  zValidator(
    target,
    z.strictObject(fields),
    (result) => {
      if (result.success) return
      throw new Problem('bad_request', validationMessage(result.error, result.data, Object.keys(fields)))
    },
    // Zod compiles only synchronous checks: 5 µs less per request.
    { validationFunction: (schema, values) => schema.safeParse(values) },
  )

function collectParams({ query: fields, parse }: Endpoint, allFields: Fields): MiddlewareHandler<ApiEnv> {
  const additions = new Set(Object.entries(allFields).flatMap(([name, field]) => (isAddition(field) ? [name] : [])))
  return function collectParams(c, next) {
    const valid = c.req.valid('query' as never) as Params
    const { siteId } = c.get('caller')
    const query = siteId !== null && 'siteId' in allFields ? { siteId, ...valid } : valid
    const path = (c.req.valid('param' as never) ?? {}) as Params
    // Messages are in the order of the fields, like zod's; most of up to 70 fields are absent.
    const given = Object.entries(query)
    const ownQuery = Object.fromEntries(given.filter(([name]) => name in fields))
    c.set('query', query)
    c.set('path', path)
    c.set('params', { ...path, ...ownQuery })
    c.set('filter', parse?.(ownQuery))
    c.set(
      'hasAdditions',
      given.some(([name, value]) => value !== undefined && additions.has(name)),
    )
    return next()
  }
}

/** Every unknown parameter, then the first four other errors (Rule 8). @param input an array where repeated. */
function validationMessage(
  error: z.core.$ZodError,
  input: Readonly<Record<string, unknown>>,
  allowed: readonly string[],
): string {
  const unknown: string[] = []
  const messages = new Set<string>()
  for (const issue of error.issues) {
    if (issue.code === 'unrecognized_keys') {
      unknown.push(...issue.keys)
      continue
    }
    const [parameter, index] = [String(issue.path[0]), issue.path[1]]
    const given = input[parameter]
    const value = Array.isArray(given) && typeof index === 'number' ? given[index] : given
    if (issue.code === 'too_big' && issue.origin === 'array') messages.add(`${parameter} ${issue.message}`)
    else if (Array.isArray(value)) messages.add(`${parameter} was sent ${value.length} times; send it once`)
    else if (typeof value === 'string') messages.add(`${parameter} ${issue.message}, not ${quoteInput(value)}`)
    else messages.add(`${parameter} is required and ${issue.message}`)
  }
  const first = [...messages].slice(0, 4)
  if (unknown.length === 0) return first.join('. ')
  return [explainUnknown(unknown, allowed), ...first].join('. ')
}
