import { z } from 'zod'
import { groupDetails } from '../groups/group-details.ts'
import { browserFamilies, commonValue, type GroupMeasure, type GroupMeasures } from '../groups/select-groups.ts'
import { rowBigSum } from '../sql/rows.ts'
import { name, sql, uint } from '../sql/sql.ts'
import { networkErrorGroups } from './network-error-groups.ts'

const values = z.array(z.string())
const row = z.object({
  key: rowBigSum,
  errorType: z.string(),
  phase: z.string(),
  origin: z.string(),
  statusCode: z.int().nullable(),
  serverIps: values,
  protocols: values,
  methods: values,
  browsers: values,
})

/** Values a group lists of each kind (contract, Limits). */
const mostListed = 5

/** The values in most reports first, ties by the values, '' apart; `counts` is the rollup's map of reports by value. */
function mostFrequent(column: string, counts: string): GroupMeasure {
  return {
    ofSlice: ({ isRaw }) =>
      isRaw ? sql`sumMap(map(toString(${name(column)}), toUInt64(1)))` : sql`sumMap(${name(counts)})`,
    merged: (values) => {
      const known = sql`arrayFilter(pair -> pair.1 != '', sumMap(${values})::Array(Tuple(String, UInt64)))`
      const ranked = sql`arraySort(pair -> (-toInt64(pair.2), pair.1), ${known})`
      return sql`arraySlice(arrayMap(pair -> pair.1, ${ranked}), 1, ${uint(mostListed)})`
    },
  }
}

const measures: GroupMeasures = {
  errorType: commonValue(() => sql`feature`),
  phase: commonValue(() => sql`phase`),
  origin: commonValue(() => sql`request_origin`),
  statusCode: commonValue(() => sql`nullIf(status_code, 0)`),
  serverIps: mostFrequent('server_ip', 'server_ips'),
  protocols: mostFrequent('protocol', 'protocols'),
  methods: mostFrequent('method', 'methods'),
  browsers: browserFamilies,
}

/** What some groups are, and their servers, protocols, methods and browser families. */
export const listNetworkErrorDetails = groupDetails({
  name: 'listNetworkErrorDetails',
  kind: networkErrorGroups,
  measures,
  row,
})
