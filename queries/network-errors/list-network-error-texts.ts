import { z } from 'zod'
import { commonValue, type Keyed, latestValue, queryLatest } from '../groups/select-groups.ts'
import { rowBigSum } from '../sql/rows.ts'
import { sql } from '../sql/sql.ts'
import { type NetworkErrorFilter, networkErrorGroups } from './network-error-groups.ts'

const row = z.object({
  key: rowBigSum,
  errorType: z.string(),
  phase: z.string(),
  origin: z.string(),
  statusCode: z.int().nullable(),
  exampleUrl: z.string(),
})

const measures = {
  errorType: commonValue(() => sql`feature`),
  phase: commonValue(() => sql`phase`),
  origin: commonValue(() => sql`request_origin`),
  statusCode: commonValue(() => sql`nullIf(status_code, 0)`),
  exampleUrl: latestValue(sql`request_url`),
}

/** Texts of each group's latest report. */
export const listNetworkErrorTexts = (
  filter: NetworkErrorFilter,
  groups: readonly (Keyed & { readonly lastSeen: string })[],
) => queryLatest({ name: 'listNetworkErrorTexts', measures, row }, networkErrorGroups(filter), groups)
