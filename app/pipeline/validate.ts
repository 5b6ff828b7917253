import type { MiddlewareHandler } from 'hono'
import { validator } from 'hono/validator'
import { z } from 'zod'
import { isAddition } from '../../schema/additions.ts'
import { Problem } from '../../schema/problems.ts'
import type { Endpoint } from './endpoint.ts'
import { querySchema } from './query-schema.ts'
import { quoteInput } from './quote-input.ts'
import type { ApiEnv, Params } from './request-context.ts'
import { explainUnknown } from './unknown-parameters.ts'

/** Throws bad_request that names the parameter. */
export function validate(endpoint: Endpoint): MiddlewareHandler<ApiEnv>[] {
  const hasPath = Object.keys(endpoint.pathParams).length > 0
  const query = querySchema(endpoint)
  return [
    validateFields('query', query),
    ...(hasPath ? [validateFields('param', endpoint.pathParams)] : []),
    collectParams(endpoint, query),
  ]
}

function validateFields(
  target: 'param' | 'query',
  fields: Readonly<Record<string, z.ZodType>>,
): MiddlewareHandler<ApiEnv> {
  const schema = z.strictObject(fields)
  return validator(target, (given: Params, c) => {
    const { siteId } = c.get('caller')
    // A key of one site reads that site, where the operation has a siteId.
    const input = target === 'query' && siteId !== null && 'siteId' in fields ? { siteId, ...given } : given
    const result = schema.safeParse(input)
    if (!result.success) throw new Problem('bad_request', validationMessage(result.error, input, Object.keys(fields)))
    return result.data
  })
}

function collectParams(
  { query: fields, parse }: Endpoint,
  allFields: Readonly<Record<string, z.ZodType>>,
): MiddlewareHandler<ApiEnv> {
  const additions = new Set(Object.entries(allFields).flatMap(([name, field]) => (isAddition(field) ? [name] : [])))
  return function collectParams(c, next) {
    const query = c.req.valid('query' as never) as Params
    const path = (c.req.valid('param' as never) ?? {}) as Params
    // In the order of the fields, as zod has them; of up to 70 most are not given.
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
    else if (Array.isArray(value)) messages.add(`${parameter} was given ${value.length} times; give it once`)
    else if (typeof value === 'string') messages.add(`${parameter} ${issue.message}, not ${quoteInput(value)}`)
    else messages.add(`${parameter} is required and ${issue.message}`)
  }
  const first = [...messages].slice(0, 4)
  if (unknown.length === 0) return first.join('. ')
  return [explainUnknown(unknown, allowed), ...first].join('. ')
}
