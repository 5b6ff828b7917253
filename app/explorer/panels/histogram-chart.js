import uPlot from '/explorer/uplot.js'
import { h } from '../dom.js'
import { number, time } from '../format.js'

const height = 180

const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim()

const daySeconds = 86_400

/** A tick: a day, or a minute of one. */
const moment = (step) => (seconds) => {
  const text = new Date(seconds * 1000).toISOString().replace('T', ' ')
  return step >= daySeconds ? text.slice(5, 10) : text.slice(5, 16)
}

/** Bars over time; dragging over them narrows the window. */
export function histogramChart({ bucketSize, buckets }, { setWindow }) {
  const times = buckets.map((bucket) => Date.parse(bucket.time) / 1000)
  const counts = buckets.map(({ reportCount }) => reportCount)
  const highest = Math.max(0, ...counts)
  const at = buckets[counts.indexOf(highest)]
  const sum = counts.reduce((before, count) => before + count, 0)
  const summary = `${number(sum)} reports in ${number(buckets.length)} buckets of ${bucketSize}; most, ${number(highest)}, from ${time(at?.time)}`
  const place = h('div', { class: 'chart', role: 'img', 'aria-label': summary })
  const width = () => Math.max(200, place.clientWidth)
  let chart

  function draw() {
    chart?.destroy()
    const axis = { stroke: color('--text'), grid: { stroke: color('--line') }, ticks: { stroke: color('--line') } }
    chart = new uPlot(
      {
        width: width(),
        height,
        legend: { show: false },
        cursor: { drag: { x: true, y: false } },
        tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
        axes: [
          { ...axis, space: 90, values: (_, at, __, ___, step) => at.map(moment(step)) },
          { ...axis, size: 60, values: (_, values) => values.map(number) },
        ],
        scales: { y: { range: (_, __, max) => [0, Math.max(1, max)] } },
        series: [{}, { fill: color('--accent'), stroke: color('--accent'), paths: uPlot.paths.bars({ align: 1 }) }],
        hooks: {
          setSelect: [
            ({ select, posToVal }) => {
              if (select.width < 4) return
              const [from, to] = [select.left, select.left + select.width].map((left) => posToVal(left, 'x') * 1000)
              setWindow(new Date(Math.round(from)).toISOString(), new Date(Math.round(to)).toISOString())
            },
          ],
        },
      },
      [times, counts],
      place,
    )
  }

  new ResizeObserver(() => (chart ? chart.setSize({ width: width(), height }) : draw())).observe(place)
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw)
  return [place, h('p', { class: 'note' }, `${summary}. Drag over the bars to look closer.`)]
}
