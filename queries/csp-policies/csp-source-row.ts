/** @module Columns shared by rows per source. */

import { z } from 'zod'
import { rowBigSums, rowIntegers } from '../sql/rows.ts'

export const sourceColumns = {
  directive: z.string(),
  source: z.string(),
  self: z.enum(['origin', 'upgrade', 'other', '']),
  pageScheme: z.enum(['http', 'https', '']),
}

/**
 * Counts of several policies or details in one row. Arrays of objects take four times as long to check, and spreading
 * an object for each of 60,000 rows takes 15 ms more.
 */
export const countColumns = { reportCounts: rowIntegers, weightSums: rowBigSums, noiseCounts: rowIntegers }
