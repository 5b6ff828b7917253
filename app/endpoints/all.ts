import type { Endpoint } from '../endpoint.ts'
import { me } from './me.ts'
import { reportsCount } from './reports-count.ts'
import { reportsGrouped } from './reports-grouped.ts'
import { reportsHistogram } from './reports-histogram.ts'
import { reportsList } from './reports-list.ts'
import { reportsTypes } from './reports-types.ts'

/** Every operation the API answers: the one list that the router, the reference and the contract tests read. */
export const endpoints: readonly Endpoint[] = [
  me,
  reportsList,
  reportsCount,
  reportsHistogram,
  reportsGrouped,
  reportsTypes,
]
