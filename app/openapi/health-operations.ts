import type { z } from 'zod'
import { liveness, readiness } from '../../schema/responses/health.ts'
import { headerReferences } from './headers.ts'
import { type NamedSchemas, outputSchema } from './json-schema.ts'
import { tagOf } from './tags.ts'

/** The path items of the health checks, which take no key. */
export function healthPaths(named: NamedSchemas): Record<string, object> {
  const answer = (description: string, reply: z.ZodType) => ({
    description,
    headers: headerReferences([]),
    content: { 'application/json': { schema: outputSchema(reply, named) } },
  })
  const check = (operationId: string, summary: string, responses: object) => ({
    get: { operationId, tags: [tagOf('health')], summary, security: [], responses },
  })
  return {
    '/livez': check('livez', 'Whether the process answers', { '200': answer('It does', liveness) }),
    '/readyz': check('readyz', 'Whether questions can be answered', {
      '200': answer('They can', readiness),
      '503': answer('They cannot: a part is failing', readiness),
    }),
  }
}
