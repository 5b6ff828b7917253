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
    '/livez': check('livez', 'Whether the process responds', { '200': response('It does', liveness) }),
    '/readyz': check('readyz', 'Whether requests can be served', {
      '200': response('They can', readiness),
      '503': response('They cannot: a part is failing', readiness),
    }),
    '/readyz/self': check('readyzSelf', 'Whether requests should be sent to this process, for probes of its balancer', {
      '200': response('They should, also while ClickHouse or Redis does not respond', ownReadiness),
      '503': response('They should not: it stops, or the database lacks a migration', ownReadiness),
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
      'Whether each part that the API needs responds; migrations are unknown while the engine does not; parts fail while ClickHouse cannot read one; process fails while it stops.',
  })

const ownReadiness = z
  .object({ status: state, checks: z.object({ migrations: state, process: state.optional() }) })
  .meta({
    id: 'OwnReadiness',
    description:
      'Whether the process is ready, whatever the state of ClickHouse and Redis; migrations are unknown until ClickHouse first responds, which fails nothing.',
  })
