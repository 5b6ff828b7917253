import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { sql, uuid } from '../sql/sql.ts'

const row = z.object({ id: z.string() })

/** One row or none (Rule 6). */
export function findAnyDecision(tenantId: string): Query<z.infer<typeof row>> {
  return {
    name: 'findAnyDecision',
    statement: sql`SELECT toString(id) AS id FROM script_decisions WHERE tenant_id = ${uuid(tenantId)} LIMIT 1`,
    row,
    pool: 'lookup',
  }
}
