/** @module Dimensions of raw rows: columns and computed expressions. */

import { type ComputedDimension, type DimensionName, isField } from '../../schema/dimensions.ts'
import { storedFieldRows } from '../../schema/stored-report.ts'
import { name, type Sql, sql } from '../sql/sql.ts'

/** URL without query and fragment. */
export const pageOfReport = sql`cutQueryString(document_url)`

const computed: Readonly<Record<ComputedDimension, Sql>> = { page: pageOfReport }

export const reportColumn = (dimension: DimensionName): Sql =>
  isField(dimension) ? name(storedFieldRows[dimension].column) : computed[dimension]
