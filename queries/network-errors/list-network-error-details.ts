import { z } from 'zod'
import { keyedSlices } from '../groups/keyed-slices.ts'
import { browserFamilies, type GroupMeasure, type Keyed, queryDetails } from '../groups/select-groups.ts'
import { rowBigSum } from '../sql/rows.ts'
import { name, sql, uint } from '../sql/sql.ts'
import { type NetworkErrorFilter, networkErrorGroups } from './network-error-groups.ts'

const values = z.array(z.string())
const row = z.object({
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

const measures = {
  serverIps: mostFrequent('server_ip', 'server_ips'),
  protocols: mostFrequent('protocol', 'protocols'),
  methods: mostFrequent('method', 'methods'),
  browsers: browserFamilies,
}

export const listNetworkErrorDetails = (filter: NetworkErrorFilter, groups: readonly Keyed[]) =>
  queryDetails({ name: 'listNetworkErrorDetails', measures, row }, keyedSlices(networkErrorGroups(filter)), groups)
