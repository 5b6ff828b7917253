import { useApp } from '../app-context.ts'
import { html, useState } from '../html.ts'
import { request } from '../requests.ts'
import type { State } from '../state.ts'
import { dimensionsOf, typeOf } from '../state.ts'
import { useRead } from '../use-read.ts'
import { Card } from './card.ts'
import { Chart } from './chart.ts'
import { labelOfType, number } from './format.ts'
import { Legend } from './legend.ts'
import { zoneOf } from './time.ts'

const choices = ['directive', 'blockedHost', 'feature', 'documentHost', 'browserName', 'osName']
const mostChoices = 4

/** Dimensions that the chart can be split by, and the chosen one. */
export function chartDimensions(state: State, wanted = choices) {
  const own = dimensionsOf(state)
  const offered = wanted.filter((name) => own.includes(name)).slice(0, mostChoices)
  if (state.groupBy && state.groupBy !== 'none' && own.includes(state.groupBy) && !offered.includes(state.groupBy))
    offered.push(state.groupBy)
  const chosen =
    state.groupBy === 'none' ? undefined : offered.includes(state.groupBy ?? '') ? state.groupBy : offered[0]
  return { offered, chosen }
}

/**
 * Reports over time, stacked by a dimension. `own`: parameters beside the view's; `of`: another state than the view's
 */
export function HistogramCard({
  own = {},
  of,
  title,
  id = 'histogram',
  by,
}: {
  own?: object
  of?: State
  title?: string
  id?: string
  by?: string[]
}) {
  const app = useApp()
  const { go } = app
  const state = of ?? app.state
  const { offered, chosen } = chartDimensions(state, by)
  const [concealed, setConcealed] = useState<{ of?: string | undefined; values: (string | null)[] }>({ values: [] })
  const hidden = new Set(concealed.of === chosen ? concealed.values : [])
  const toggle = (value: any) =>
    setConcealed({
      of: chosen,
      values: hidden.has(value) ? [...hidden].filter((one) => one !== value) : [...hidden, value],
    })
  const read = useRead(request(state, '/v1/reports/histogram', { groupBy: chosen, ...own }))
  const zone = zoneOf(state)
  const data = read.body?.data
  const sum = (field: string) => data?.buckets.reduce((before: any, bucket: any) => before + (bucket[field] ?? 0), 0)
  const [count, estimate] = [sum('reportCount'), sum('estimatedReportCount')]
  const about = estimate > count ? `, about ${number(estimate)} estimated` : ''
  const note = data && `${number(count)} reports${about} · ${data.bucketSize.replace(/\D/, ' $&')} buckets · ${zone}`
  const tools = html`<div class="segments" role="group" aria-label="Split by">
    ${[...offered, 'none'].map(
      (
        name,
      ) => html`<button key=${name} type="button" data-key=${`by ${name}`} aria-pressed=${(chosen ?? 'none') === name ? 'true' : 'false'} onClick=${() => go({ groupBy: name })}>
        ${name}
      </button>`,
    )}
  </div>`
  const heading = title ?? `${labelOfType(typeOf(state))}${chosen ? ` by ${chosen}` : ' over time'}`
  const windowRead = state.from || state.to ? (read.body?.window ?? {}) : {}
  return html`<${Card} ...${{ id, read, note, tools }} title=${heading} rows=${6}>
    ${(
      body: any,
    ) => html`<${Chart} body=${body.data} zone=${zone} window=${state.to ? windowRead : { from: windowRead.from }} hidden=${hidden} narrow=${(from: any, to: any) => go({ from, to })} />
      <${Legend} series=${body.data.series ?? []} dimension=${chosen ?? ''} hidden=${hidden} toggle=${toggle} note=${!state.to && 'last bucket not complete yet'} />`}
  <//>`
}
