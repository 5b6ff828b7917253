import { z } from 'zod'
import { chooseBucketSize, histogramReports, toBuckets } from '../../../queries/reports/histogram-reports.ts'
import { bucketSizeNames } from '../../../schema/enumerations.ts'
import { oneOf } from '../../../schema/params.ts'
import { reportFilterParams, toReportFilter } from '../../../schema/report-filter.ts'
import { histogram } from '../../../schema/responses/report.ts'
import { endpoint } from '../../pipeline/endpoint.ts'
import { windows } from '../../pipeline/windows.ts'

export const reportsHistogram = endpoint({
  name: 'reports.histogram',
  path: '/v1/reports/histogram',
  summary: 'Reports over time',
  description:
    'Reports by time bucket, empty buckets included. Buckets start at multiples of their size since the Unix epoch, so the first can start before `from`; only reports within the window count.',
  query: {
    ...reportFilterParams,
    bucketSize: oneOf(
      bucketSizeNames,
      'The width of a bucket; chosen from the window by default, and widened where the window would need more than 10,000 buckets',
    ).optional(),
  },
  parse: toReportFilter,
  window: windows.weekByDefault,
  cache: 'until-import',
  response: z.object({ data: histogram }),
  async handle({ caller, window, filter, params, readAll }) {
    const bucketSize = chooseBucketSize(window, params.bucketSize)
    const counted = await readAll(histogramReports(caller.tenant.id, window, filter, bucketSize))
    return { data: { bucketSize, buckets: toBuckets(counted, window, bucketSize) } }
  },
})
