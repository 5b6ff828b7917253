import { targetOf } from '../api.js'
import { h } from '../dom.js'
import { number, text, time, trend } from '../format.js'
import { windowOf, windowWithin } from '../state.js'
import { detailsButton, filterButton, seenInWindow, table } from '../table.js'
import { histogramChart } from './histogram-chart.js'

const reportParams = ({ site, type, filters }) => ({ siteId: site, reportType: type, ...filters })

export const histogram = {
  id: 'histogram',
  title: ({ type }) => `${type} reports over time`,
  request: (state) => ({ path: '/v1/reports/histogram', params: { ...reportParams(state), ...windowOf(state) } }),
  render: ({ data }, context, window) => histogramChart(data, context, window),
}

export const total = {
  id: 'total',
  title: () => 'Reports',
  request: (state) => ({ path: '/v1/reports/count', params: { ...reportParams(state), ...windowOf(state) } }),
  render: ({ data }) => [
    h('p', { class: 'big' }, number(data.reportCount)),
    h('p', {}, data.sampled ? `stand for about ${number(data.estimatedReportCount)}` : 'none was sampled'),
  ],
}

/** @param key `by` or `and`: the dimension's name in the state. */
const ranking = (id, key) => ({
  id,
  title: (state) => `By ${state[key]}`,
  request: (state) => ({
    path: '/v1/reports/grouped',
    params: { ...reportParams(state), groupBy: state[key], limit: mostGroups, ...windowOf(state) },
  }),
  list: { step: 10, mostRows: mostGroups },
  control: (context) => context.dimensionPicker(key),
  render: ({ data }, context) => [
    table(`Ranking by ${context.state[key]}`, rankingColumns(context, context.state[key]), data),
  ],
})

/** Groups that the operation returns at most, without a cursor. */
const mostGroups = 100

const rankingColumns = (context, dimension) => [
  { label: dimension, of: ({ values: [value] }) => filterButton(context, dimension, value, value || '(none)') },
  { label: 'Reports', of: ({ reportCount }) => number(reportCount), numeric: true },
  {
    label: 'Trend',
    of: ({ trendPercent }) => h('span', { class: rise(trendPercent) }, trend(trendPercent)),
    numeric: true,
  },
  ...seenInWindow,
]

const rise = (percent) => (percent === null || percent > 0 ? 'rise' : 'fall')

export const firstRanking = ranking('ranking-1', 'by')
export const secondRanking = ranking('ranking-2', 'and')

/** Fields that tell reports of one type apart, the first that a report has. */
const subjects = ['directive', 'feature', 'destination', 'effectivePolicy', 'method']
const objects = ['blockedUrl', 'sourceFile', 'requestUrl', 'otherOrigin', 'message']

const firstOf = (report, names) => names.map((name) => report[name]).find((value) => value)

const exportFormat = { format: 'csv' }

export const newest = {
  id: 'newest',
  title: () => 'Newest reports',
  isExported: true,
  list: { step: 20 },
  request: (state) => ({
    path: '/v1/reports',
    params: { ...reportParams(state), limit: 20, ...windowWithin(state, '/v1/reports') },
  }),
  countRequest: (state) => ({
    path: '/v1/reports/count',
    params: { ...reportParams(state), ...windowWithin(state, '/v1/reports') },
  }),
  exportTarget: (state) =>
    targetOf('/v1/reports/export', { ...reportParams(state), ...exportFormat, ...windowOf(state) }),
  render: ({ data }, context) => [
    table(
      'Newest reports',
      [
        {
          label: 'Received',
          of: (report) => {
            const received = time(report.receivedAt)
            return detailsButton(context, report.id, `Report of ${received}`, report, received)
          },
        },
        { label: 'Page', of: ({ documentUrl }) => text(documentUrl) },
        { label: 'What', of: (report) => text(firstOf(report, subjects)) },
        { label: 'Of', of: (report) => text(firstOf(report, objects)) },
        { label: 'Browser', of: ({ browserName, browserVersion }) => text(`${browserName} ${browserVersion}`.trim()) },
      ],
      data,
    ),
  ],
}
