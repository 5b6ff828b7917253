/** @module What rows by source have in common. */

import { z } from 'zod'
import { rowBigSums, rowIntegers } from '../sql/rows.ts'

export const sourceColumns = {
  directive: z.string(),
  source: z.string(),
  self: z.enum(['origin', 'upgrade', 'other', '']),
  pageScheme: z.enum(['http', 'https', '']),
}

/**
 * Of several policies or details in one row: arrays of objects take four times as long to check, and an object that is
 * spread for each of 60,000 takes 15 ms more.
 */
export const countColumns = { reportCounts: rowIntegers, weightSums: rowBigSums, noiseCounts: rowIntegers }
