import uPlot from 'uplot'
import { html, useEffect, useRef, useState } from '../html.ts'
import { timeTicks } from './chart-axis.ts'
import { ChartTooltip } from './chart-tooltip.ts'
import { number } from './format.ts'

const height = 208
const pixelsPerTick = 76
const seriesColors = ['--series-1', '--series-2', '--series-3', '--series-4', '--series-5']

const unitSeconds: Readonly<Record<string, number>> = { m: 60, h: 3_600, d: 86_400 }

/** @param bucketSize such as `2h` */
const secondsOf = (bucketSize: string) => Number.parseInt(bucketSize, 10) * (unitSeconds[bucketSize.at(-1) ?? ''] ?? 60)

const color = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim()

/** Name of the colour of a series; null is the rest. */
export const colorOf = ({ value }: { value: string | null }, rank: number) =>
  value === null ? '--series-rest' : (seriesColors[rank] ?? '--series-rest')

const wholeSteps = Array.from({ length: 15 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat()

/** Sums of the series up to each, by bucket: the outermost is drawn first. */
function stacked(series: any, length: any) {
  const sums = new Array(length).fill(0)
  return series.map(({ reportCounts }: any) => reportCounts.map((count: any, at: any) => (sums[at] += count)))
}

/**
 * Stacked bars over time. A drag narrows the window to whole buckets; a double click goes back. `body`: data of
 * `/v1/reports/histogram`; `window` of the request, if it has an end
 */
export function Chart({
  body,
  zone,
  window: requested = {},
  narrow,
  hidden = new Set(),
}: {
  body: any
  zone: string
  window?: { from?: string; to?: string }
  narrow?: (from: string, to: string) => void
  hidden?: Set<string | null>
}) {
  const container = useRef<HTMLElement | null>(null)
  const [at, setAt] = useState<{ index: number; left: number } | undefined>(undefined)
  const { bucketSize, buckets } = body
  const series = (
    body.series?.length > 0
      ? body.series
      : [{ value: '', reportCounts: buckets.map(({ reportCount }: any) => reportCount) }]
  )
    .map((one: any, rank: number) => ({ ...one, color: colorOf(one, rank) }))
    .filter(({ value }: any) => !hidden.has(value))
  const drawn = JSON.stringify([bucketSize, buckets[0]?.time, zone, requested, series])
  useEffect(() => {
    const element = container.current
    if (!element || buckets.length === 0) return undefined
    const options = { element, bucketSeconds: secondsOf(bucketSize), buckets, series, zone, requested, narrow, setAt }
    let chart = draw(options)
    const redraw = () => {
      chart.destroy()
      chart = draw(options)
    }
    const observer = new ResizeObserver(() => chart.width !== widthOf(element) && redraw())
    observer.observe(element)
    const scheme = matchMedia('(prefers-color-scheme: dark)')
    scheme.addEventListener('change', redraw)
    return () => {
      observer.disconnect()
      scheme.removeEventListener('change', redraw)
      chart.destroy()
    }
  }, [drawn])
  const sum = buckets.reduce((before: any, { reportCount }: any) => before + reportCount, 0)
  const label = `${number(sum)} reports in ${buckets.length} ${buckets.length === 1 ? 'bucket' : 'buckets'} of ${bucketSize}, times in ${zone}`
  return html`<div class="chart-frame">
    <div class="chart" role="img" aria-label=${label} ref=${container}></div>
    ${at && buckets[at.index] && html`<${ChartTooltip} ...${{ at, buckets, series, zone, isLast: at.index === buckets.length - 1 && !requested.to }} />`}
  </div>`
}

/** Handler of a double click, as uPlot expects it. */
function goBack() {
  history.back()
  return null
}

const widthOf = (element: any) => Math.max(200, element.clientWidth)

function axesOf(ticks: ReturnType<typeof timeTicks>): uPlot.Axis[] {
  const textOf = new Map(ticks.map(({ at, text }) => [at, text]))
  const axis = {
    stroke: color('--muted'),
    grid: { stroke: color('--line'), width: 1 },
    ticks: { show: false },
    font: '11px system-ui, sans-serif',
  }
  return [
    {
      ...axis,
      size: 24,
      gap: 4,
      grid: { show: false },
      splits: () => ticks.map(({ at }) => at),
      values: (_, splits) => splits.map((split) => textOf.get(split) ?? ''),
    },
    { ...axis, size: 48, gap: 8, space: 28, incrs: wholeSteps, values: (_, values) => values.map(number) },
  ]
}

function barsOf(one: { color: string }): uPlot.Series {
  const paths = uPlot.paths.bars?.({ align: 1, size: [0.86, Number.POSITIVE_INFINITY] })
  return { fill: color(one.color), width: 0, points: { show: false }, ...(paths && { paths }) }
}

function fadeFrom(time: number, { ctx, bbox, valToPos }: any) {
  const left = valToPos(time, 'x', true)
  ctx.save()
  ctx.globalAlpha = 0.5
  ctx.fillStyle = color('--card')
  ctx.fillRect(left, bbox.top, bbox.left + bbox.width - left, bbox.height)
  ctx.restore()
}

function draw({ element, bucketSeconds, buckets, series, zone, requested, narrow, setAt }: any) {
  const times = buckets.map(({ time }: any) => Date.parse(time) / 1000)
  const sums = stacked(series, buckets.length)
  const outermost = [...sums.keys()].reverse()
  const end = times.at(-1) + bucketSeconds
  // The window in whole buckets: reports of its first and last minutes are drawn as wide as others.
  const axisRange = [times[0], end]
  const [from, to] = [requested.from, requested.to].map((text, at) => (text ? Date.parse(text) / 1000 : axisRange[at]))
  const ends = [...times.slice(1), end]
  const ticks = timeTicks(
    Math.max(from, times[0]),
    Math.min(to, end),
    zone,
    Math.max(1, widthOf(element) / pixelsPerTick),
  )

  function onSelect({ select, posToVal, setSelect }: any) {
    if (select.width < 4 || !narrow) return
    const [left, right] = [select.left, select.left + select.width].map((x) => posToVal(x, 'x'))
    setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
    const start = Math.max(from, times.findLast((time: number) => time <= left) ?? times[0])
    const stop = Math.min(to, ends.find((time) => time >= right) ?? end)
    if (start < stop && (start > from || stop < to))
      narrow(new Date(start * 1000).toISOString(), new Date(stop * 1000).toISOString())
  }

  /** An incomplete bucket is faded. */
  function onDraw(plot: any) {
    if (requested.to || !(end * 1000 > Date.now())) return
    fadeFrom(times.at(-1), plot)
  }

  const onCursor = ({ cursor: { left, idx }, posToVal, over }: any) => {
    if (left === undefined || left < 0 || idx === null) return setAt(undefined)
    const value = posToVal(left, 'x')
    return setAt({
      index: Math.max(
        0,
        times.findLastIndex((time: number) => time <= value),
      ),
      left: left + over.offsetLeft,
    })
  }

  return new uPlot(
    {
      width: widthOf(element),
      height,
      legend: { show: false },
      padding: [8, 0, 0, 0],
      cursor: {
        y: false,
        points: { show: false },
        drag: { x: narrow !== undefined, y: false, setScale: false },
        bind: { dblclick: () => goBack },
      },
      axes: axesOf(ticks),
      // Not declared as times: uPlot would place ticks by the browser's zone and its clock changes.
      scales: {
        x: { time: false, range: () => axisRange as uPlot.Range.MinMax },
        y: { range: (_, __, max) => [0, Math.max(1, max * 1.05)] },
      },
      series: [{}, ...outermost.map((index) => barsOf(series[index]))],
      hooks: { setSelect: [onSelect], draw: [onDraw], setCursor: [onCursor] },
    },
    [times, ...outermost.map((index) => sums[index].map((count: any) => count || null))],
    element,
  )
}
