import { z } from 'zod'
import { countSeries, mostBuckets, type SeriesQuery, toSeries } from '../../../queries/reports/count-series.ts'
import {
  chooseBucketSize,
  estimateHistogram,
  histogramReports,
  toBuckets,
  toEstimatedBuckets,
} from '../../../queries/reports/histogram-reports.ts'
import { hasFewValues, listValues } from '../../../queries/reports/values.ts'
import type { Reader } from '../../../queries/sql/query.ts'
import { addition } from '../../../schema/additions.ts'
import { bucketSizeNames } from '../../../schema/enumerations.ts'
import { seriesParams, toSeriesGrouping } from '../../../schema/group-by.ts'
import { oneOf, timeZone } from '../../../schema/params.ts'
import { reportFilterAdditions, reportFilterParams, toReportFilter } from '../../../schema/report-filter.ts'
import { readWindow } from '../../../schema/responses/common.ts'
import { histogram } from '../../../schema/responses/report.ts'
import { bucketsOf } from '../../../schema/rules/time/buckets.ts'
import { toReadWindow } from '../../../schema/rules/time/window.ts'
import { endpoint } from '../../pipeline/endpoint.ts'
import { windows } from '../../pipeline/windows.ts'

export const reportsHistogram = endpoint({
  name: 'reports.histogram',
  path: '/v1/reports/histogram',
  summary: 'Reports over time',
  description:
    'Reports per time bucket, including empty buckets. Buckets start at multiples of their size since the Unix epoch, or at the days and hours of `timeZone`, so the first bucket can start before `from`; only reports within the window count. With `groupBy`, each of the largest values of a dimension has a series, and all other values share one.',
  query: {
    ...reportFilterParams,
    ...reportFilterAdditions,
    bucketSize: oneOf(
      bucketSizeNames,
      'Bucket size. The default depends on the window. A larger size is used if the window would need more than 10,000 buckets, or 100,000 counts in all series',
    ).optional(),
    ...seriesParams,
    timeZone: addition(
      timeZone(
        'Time zone of the days and hours; a day can have 23 or 25 hours. `time` is in UTC. Days outside UTC cannot use rollups by day, and hours with a half-hour offset cannot use rollups by hour: with a filter or groupBy they cost as much as minutes',
      ),
    ),
  },
  parse: (query) => ({ report: toReportFilter(query), series: toSeriesGrouping(query.reportType, query) }),
  window: windows.weekByDefault,
  cache: 'until-import',
  response: z.object({ data: histogram, window: readWindow.optional() }),
  async handle({ caller, window, filter: { report: filter, series: grouping }, params, hasAdditions, read, readAll }) {
    const tenantId = caller.tenant.id
    const bucketSize = chooseBucketSize(window, params.bucketSize, grouping && mostBuckets(grouping))
    if (!hasAdditions) {
      const counted = await readAll(histogramReports(tenantId, window, filter, bucketSize))
      return { data: { bucketSize, buckets: toBuckets(counted, window, bucketSize) } }
    }
    const query = { tenantId, window, filter, buckets: bucketsOf(window, bucketSize, params.timeZone) }
    const [tallies, largest] = await Promise.all([
      readAll(estimateHistogram(query)),
      grouping && readLargest({ ...query, ...grouping }, read),
    ])
    const buckets = toEstimatedBuckets(tallies, query)
    const totals = buckets.map(({ reportCount }) => reportCount)
    const series = largest && toSeries(largest, query.buckets, totals)
    return { data: { bucketSize, buckets, ...(series && { series }) }, window: toReadWindow(window) }
  },
})

/** A ranking by coarser rollups takes less time than counting each of many values by bucket. */
async function readLargest(query: SeriesQuery, read: Reader['read']) {
  const { tenantId, window, filter, dimension, top } = query
  if (hasFewValues({ ...filter, groupBy: [dimension] })) return read(countSeries(query))
  const found = await read(listValues({ tenantId, window, ...filter, dimension, part: undefined, limit: top }))
  const values = found.map(({ value }) => value)
  return values.length > 0 ? read(countSeries(query, values)) : []
}
