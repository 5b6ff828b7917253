/** @module Filters of reports by their parameters, computed the plain way: no SQL, no code of the API. */

import type { DimensionName } from '../../schema/dimensions.ts'
import type { StoredReport } from '../../schema/stored-report.ts'
import { oracleIssueId } from './issue-oracle.ts'
import { dimensionValue, passes } from './oracle-parts.ts'

/** By parameter; an array repeats it. */
export type OracleFilters = Readonly<Record<string, string | readonly string[]>>

const exact: readonly string[] = ['siteId', 'disposition', 'deviceType']
const lowerCase: readonly string[] = ['documentHost', 'blockedHost']

export const passesFilters = (row: StoredReport, filters: OracleFilters) =>
  Object.entries(filters).every(([parameter, given]) => {
    if (parameter === 'noise') return row.noise === (given === 'only')
    if (parameter === 'issueId') return oracleIssueId(row) === given
    const [name = '', operator = 'any'] = parameter.split('.')
    const values = [given].flat().map((value) => (lowerCase.includes(name) ? value.toLowerCase() : value))
    return passes(dimensionValue(row, name as DimensionName), operator, values, exact.includes(name))
  })
