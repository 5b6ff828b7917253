import { z } from 'zod'
import { dispositions } from '../../schema/enumerations.ts'
import { inventorySize } from '../../schema/scripts.ts'
import type { Query } from '../sql/query.ts'
import { rowTime } from '../sql/rows.ts'
import { sql, uint } from '../sql/sql.ts'
import { violatingScripts } from './violating-scripts.ts'

const row = z.object({
  url: z.string(),
  lastAt: rowTime,
  /** Mode of the last load. */
  mode: z.enum(dispositions),
  /** Last load on each payment page by its id, in milliseconds since the Unix epoch. */
  lastOnPayment: z.record(z.string(), z.int()),
  isInventoried: z.boolean(),
})

export type ScriptViolation = z.infer<typeof row>

/**
 * Latest first: the known scripts and 1,000 others, preferring scripts outside the inventory, then on payment pages,
 * then the latest.
 */
export function listScriptViolations(...scripts: Parameters<typeof violatingScripts>): Query<ScriptViolation> {
  const chosen = sql`${violatingScripts(...scripts)}
    ORDER BY isKnown DESC, isInventoried, notEmpty(lastOnPayment) DESC, lastAt DESC, url
    LIMIT ${uint(inventorySize)} BY isKnown`
  return {
    name: 'listScriptViolations',
    statement: sql`
      SELECT url, lastAt, mode, lastOnPayment, isInventoried
      FROM (${chosen})
      ORDER BY lastAt DESC, url`,
    row,
  }
}
