import { z } from 'zod'
import { openEnum } from '../../schema/responses/common.ts'
import { headerReferences } from './headers.ts'
import { type NamedSchemas, outputSchema } from './json-schema.ts'
import { tagOf } from './tags.ts'

export function healthPaths(named: NamedSchemas): Record<string, object> {
  const response = (description: string, body: z.ZodType) => ({
    description,
    headers: headerReferences([]),
    content: { 'application/json': { schema: outputSchema(body, named) } },
  })
  const check = (operationId: string, summary: string, responses: object) => ({
    get: { operationId, tags: [tagOf('health')], summary, security: [], responses },
  })
  return {
    '/livez': check('livez', 'Whether the process responds', { '200': response('The process responds', liveness) }),
    '/readyz': check('readyz', 'Whether requests can be served', {
      '200': response('They can', readiness),
      '503': response('Requests cannot be served: a part is failing', readiness),
    }),
    '/readyz/self': check('readyzSelf', 'Whether to send requests to this process, for probes of a load balancer', {
      '200': response('Send requests, even while ClickHouse or Redis does not respond', ownReadiness),
      '503': response('Send no requests: the process is stopping, or the database lacks a migration', ownReadiness),
    }),
  }
}

const state = openEnum(['ok', 'failing', 'unknown'])

const liveness = z.object({ status: state }).meta({ id: 'Liveness' })

const readiness = z
  .object({
    status: state,
    checks: z.object({ engine: state, budgets: state, migrations: state, parts: state, process: state.optional() }),
  })
  .meta({
    id: 'Readiness',
    description:
      'State of each part that the API needs. `migrations` is unknown while ClickHouse does not respond; `parts` fails while ClickHouse cannot read a data part; `process` fails during shutdown.',
  })

const ownReadiness = z
  .object({ status: state, checks: z.object({ migrations: state, process: state.optional() }) })
  .meta({
    id: 'OwnReadiness',
    description:
      'Whether the process is ready, independent of ClickHouse and Redis. `migrations` is unknown until ClickHouse first responds, which does not count as a failure.',
  })
