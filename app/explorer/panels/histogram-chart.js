import uPlot from '/explorer/uplot.js'
import { h } from '../dom.js'
import { number, time } from '../format.js'

const height = 200

const unitSeconds = { m: 60, h: 3_600, d: 86_400 }

const secondsOf = (bucketSize) => Number.parseInt(bucketSize, 10) * unitSeconds[bucketSize.at(-1)]

/** Steps of the time axis in seconds, up to 28 days of the 31 that a window can have. */
const timeSteps = [
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * unitSeconds.m),
  ...[1, 2, 3, 4, 6, 8, 12].map((hours) => hours * unitSeconds.h),
  ...[1, 2, 4, 7, 14, 28].map((days) => days * unitSeconds.d),
]

const wholeSteps = Array.from({ length: 15 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat()

const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim()

const darkScheme = matchMedia('(prefers-color-scheme: dark)')

const isoTime = (seconds) => new Date(seconds * 1000).toISOString()

/** Label of a tick: a day, or a minute of one. */
const tickText = (step) => (seconds) =>
  isoTime(seconds)
    .slice(5, step >= unitSeconds.d ? 10 : 16)
    .replace('T', ' ')

/**
 * Bars over time, in UTC; dragging over them narrows the window to their buckets.
 * @param {{ from?: string, to?: string }} window of the request; the buckets' own where it ends now
 */
export function histogramChart({ bucketSize, buckets }, { setWindow }, window) {
  const bucketSeconds = secondsOf(bucketSize)
  const times = buckets.map((bucket) => Date.parse(bucket.time) / 1000)
  const counts = buckets.map(({ reportCount }) => reportCount)
  /** The window in whole buckets: reports of its first and last minutes are drawn as wide as any others. */
  const axisRange = [times[0], times.at(-1) + bucketSeconds]
  const [from, to] = [window.from, window.to].map((text, end) => (text ? Date.parse(text) / 1000 : axisRange[end]))
  const highest = Math.max(0, ...counts)
  const at = buckets[counts.indexOf(highest)]
  const sum = counts.reduce((before, count) => before + count, 0)
  const bucketText =
    buckets.length === 1 ? `1 bucket of ${bucketSize}` : `${number(buckets.length)} buckets of ${bucketSize}`
  const summary = `${number(sum)} reports in ${bucketText}; most, ${number(highest)}, from ${time(at.time)}`
  const container = h('div', { class: 'chart', role: 'img', 'aria-label': summary })
  const width = () => Math.max(200, container.clientWidth)
  let chart

  function narrow({ select, posToVal, setSelect }) {
    if (select.width < 4) return
    const [left, right] = [select.left, select.left + select.width].map((x) => posToVal(x, 'x'))
    setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
    const start = Math.max(from, Math.floor(left / bucketSeconds) * bucketSeconds)
    const end = Math.min(to, Math.ceil(right / bucketSeconds) * bucketSeconds)
    if (start < end && (start > from || end < to)) setWindow(isoTime(start), isoTime(end))
  }

  function draw() {
    chart?.destroy()
    const axis = { stroke: color('--text'), grid: { stroke: color('--line') }, ticks: { stroke: color('--line') } }
    const timeAxis = {
      ...{ label: 'UTC', labelSize: 16, labelGap: 0, size: 30, space: 90, incrs: timeSteps },
      filter: (_, splits) => splits.map((split) => (split >= from && split <= to ? split : null)),
      values: (_, splits, __, ___, step) => splits.map((split) => (split === null ? '' : tickText(step)(split))),
    }
    const bars = {
      ...{ fill: color('--accent'), stroke: color('--accent'), points: { show: false } },
      paths: uPlot.paths.bars({ align: 1, size: [0.85, Number.POSITIVE_INFINITY] }),
    }
    chart = new uPlot(
      {
        width: width(),
        height,
        legend: { show: false },
        cursor: { y: false, points: { show: false }, drag: { x: true, y: false, setScale: false } },
        axes: [
          { ...axis, ...timeAxis },
          { ...axis, size: 60, incrs: wholeSteps, values: (_, values) => values.map(number) },
        ],
        // Not as times: uPlot would place ticks by the browser's zone and its clock changes.
        scales: { x: { time: false, range: () => axisRange }, y: { range: (_, __, max) => [0, Math.max(1, max)] } },
        series: [{}, bars],
        hooks: { setSelect: [narrow] },
      },
      // A stroke shows the smallest count; none is drawn where there is no report.
      [times, counts.map((count) => count || null)],
      container,
    )
  }

  new ResizeObserver(() => (chart ? chart.setSize({ width: width(), height }) : draw())).observe(container)
  darkScheme.onchange = draw
  const hint = buckets.length > 1 ? ' Drag over the bars to narrow the window.' : ''
  return [container, h('p', { class: 'note' }, `${summary}.${hint}`)]
}
