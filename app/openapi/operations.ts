import type { Endpoint } from '../pipeline/endpoint.ts'
import { querySchema } from '../pipeline/query-schema.ts'
import { describeRequirement } from '../pipeline/require-plan.ts'
import { errorReferences } from './error-responses.ts'
import { budgetHeaderNames, headerReferences } from './headers.ts'
import { inputFields, type NamedSchemas, outputSchema } from './json-schema.ts'
import { tagOf } from './tags.ts'

/** `reportsCount` for `reports.count`, which client generators need. */
const operationId = (name: string) => name.replace(/[^A-Za-z0-9]+(\w)/g, (_, letter: string) => letter.toUpperCase())

/** HEAD is not listed: it is GET without the body. */
export function pathItem(endpoint: Endpoint, named: NamedSchemas): object {
  const headers = headerReferences([
    ...budgetHeaderNames,
    ...(endpoint.mediaTypes ? (['Export-Report-Count', 'Next-Cursor', 'Link'] as const) : (['ETag'] as const)),
    ...(endpoint.cache ? (['Age'] as const) : []),
    ...(endpoint.page ? (['Link'] as const) : []),
  ])
  return {
    get: {
      operationId: operationId(endpoint.name),
      tags: [tagOf(endpoint.name)],
      summary: endpoint.summary,
      description: [
        endpoint.description,
        [...(endpoint.requires ?? []).map(describeRequirement), charging(endpoint)].join(' '),
      ].join('\n\n'),
      parameters: [...parameters('path', endpoint.pathParams), ...parameters('query', querySchema(endpoint))],
      responses: {
        '200': {
          description: 'Success',
          headers,
          content: contentOf(endpoint, named),
        },
        ...(endpoint.mediaTypes ? {} : { '304': unchanged(headers) }),
        ...errorReferences(endpoint),
      },
    },
  }
}

const unchanged = (headers: Record<string, object>) => ({
  description: 'Not modified: the response still matches If-None-Match. The request counts against the budget.',
  headers,
})

function contentOf({ response, mediaTypes, textTypes = [] }: Endpoint, named: NamedSchemas): Record<string, object> {
  const json = mediaTypes ? {} : { 'application/json': { schema: outputSchema(response, named) } }
  const texts = (mediaTypes ?? textTypes).map((type) => [type.split(';')[0], { schema: { type: 'string' } }])
  return { ...json, ...Object.fromEntries(texts) }
}

function charging({ charges }: Endpoint): string {
  return charges.includes('tenant')
    ? 'Counts against the budgets of the key and the tenant.'
    : 'Counts only against the budget of the key.'
}

function parameters(location: 'path' | 'query', fields: Endpoint['query']): object[] {
  const { fields: schemas, required } = inputFields(fields)
  return Object.entries(schemas).map(([name, { description, ...schema }]) => ({
    name,
    in: location,
    required: location === 'path' || required.includes(name),
    description,
    schema,
  }))
}
