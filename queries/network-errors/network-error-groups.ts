import { z } from 'zod'
import {
  groupPageRow,
  isAfter,
  noGroups,
  queryGroupPage,
  totalDistinct,
  type VolumePosition,
} from '../groups/group-pages.ts'
import { delimited, type Groups, keyedSlices, storedKey } from '../groups/keyed-slices.ts'
import {
  browserFamilies,
  commonValue,
  type GroupMeasure,
  type Keyed,
  latestValue,
  queryDetails,
  queryLatest,
} from '../groups/select-groups.ts'
import type { GroupFilter } from '../rollups/group-slices.ts'
import { equals } from '../sql/matches.ts'
import { rowBigSum, rowCount } from '../sql/rows.ts'
import { name, sql, text, uint, uuid } from '../sql/sql.ts'

export interface NetworkErrorFilter extends GroupFilter {
  readonly siteId: string | undefined
  readonly phase: string | undefined
  readonly errorType: string | undefined
  readonly origin: string | undefined
}

/** Rule 49. */
const key = storedKey(() => [
  ...delimited(sql`feature`),
  ...delimited(sql`phase`),
  sql`request_origin`,
  sql`toString(status_code)`,
])

const networkErrorGroups = (filter: NetworkErrorFilter): Groups => ({
  filter,
  rollup: 'network_errors_per_day_by_group',
  conditions: [
    sql`report_type = 'network-error'`,
    ...equals('site_id', uuid, filter.siteId),
    ...equals('phase', text, filter.phase),
    ...equals('feature', text, filter.errorType),
    ...equals('request_origin', text, filter.origin),
  ],
  key,
})

const networkErrorGroupRow = groupPageRow.extend({ originCount: rowCount })

export const noNetworkErrors = { ...noGroups, originCount: 0 }

const networkErrorGroupsMeasures = { originCount: totalDistinct(() => sql`request_origin`) }

export const listNetworkErrorGroups = (filter: NetworkErrorFilter, after: VolumePosition | undefined, limit: number) =>
  queryGroupPage(
    { name: 'listNetworkErrorGroups', measures: networkErrorGroupsMeasures, row: networkErrorGroupRow },
    keyedSlices(networkErrorGroups(filter)),
    { condition: after && isAfter(after), limit },
  )

const values = z.array(z.string())
const networkErrorDetailRow = z.object({
  key: rowBigSum,
  serverIps: values,
  protocols: values,
  methods: values,
  browsers: values,
})

/** Rule 49. */
const maxValues = 5

/** Most reports first, ties by value, without ''; `counts` is the rollup's map of reports by value. */
function mostFrequent(column: string, counts: string): GroupMeasure {
  return {
    ofSlice: ({ isRaw }) =>
      isRaw ? sql`sumMap(map(toString(${name(column)}), toUInt64(1)))` : sql`sumMap(${name(counts)})`,
    merged: (values) => {
      const known = sql`arrayFilter(pair -> pair.1 != '', sumMap(${values})::Array(Tuple(String, UInt64)))`
      const ranked = sql`arraySort(pair -> (-toInt64(pair.2), pair.1), ${known})`
      return sql`arraySlice(arrayMap(pair -> pair.1, ${ranked}), 1, ${uint(maxValues)})`
    },
  }
}

const networkErrorDetailsMeasures = {
  serverIps: mostFrequent('server_ip', 'server_ips'),
  protocols: mostFrequent('protocol', 'protocols'),
  methods: mostFrequent('method', 'methods'),
  browsers: browserFamilies,
}

export const listNetworkErrorDetails = (filter: NetworkErrorFilter, groups: readonly Keyed[]) =>
  queryDetails(
    { name: 'listNetworkErrorDetails', measures: networkErrorDetailsMeasures, row: networkErrorDetailRow },
    keyedSlices(networkErrorGroups(filter)),
    groups,
  )

const networkErrorTextRow = z.object({
  key: rowBigSum,
  errorType: z.string(),
  phase: z.string(),
  origin: z.string(),
  statusCode: z.int().nullable(),
  exampleUrl: z.string(),
})

const networkErrorTextsMeasures = {
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
) =>
  queryLatest(
    { name: 'listNetworkErrorTexts', measures: networkErrorTextsMeasures, row: networkErrorTextRow },
    networkErrorGroups(filter),
    groups,
  )
