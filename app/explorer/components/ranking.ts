import { html } from '../html.ts'
import type { Read } from '../use-read.ts'
import { Card } from './card.ts'
import { isComparable, number, share, trend } from './format.ts'
import { ShareBar } from './share-bar.ts'
import { Empty } from './states.ts'
import { Value } from './value.ts'

/**
 * The largest values of a dimension; each is a filter. `read` of `/v1/reports/grouped`; `sum` of all reports, for the
 * shares; `all`: control of the whole ranking
 */
export function Ranking({
  id,
  title,
  dimension,
  read,
  sum,
  all,
  label,
}: {
  id: string
  title: string
  dimension: string
  read: Read
  sum?: number
  all?: any
  label?: (value: string) => any
}) {
  const groups = read.body?.data ?? []
  const count = read.body?.groupCount
  const largest = groups[0]?.reportCount ?? 0
  const foot =
    groups.length > 0 &&
    html`<span class="muted">${number(groups.length)} of ${number(count ?? groups.length)}</span>${all}`
  return html`<${Card} ...${{ id, title, read, foot }} note=${count !== undefined && number(count)} rows=${7}>
    ${
      groups.length === 0
        ? html`<${Empty} />`
        : html`<ul class="ranking" data-rows>
          ${groups.map(
            ({ values: [value], reportCount, trendPercent }: any) => html`<li key=${value} data-row>
              <div class="name">
                <${ShareBar} part=${reportCount} of=${largest} />
                <${Value} isRow name=${dimension} value=${value} label=${label?.(value) || undefined} data-key=${`${id} ${value}`} />
              </div>
              <span class="figure" title=${sum ? `${share(reportCount, sum)} of ${number(sum)}` : undefined}>${number(reportCount)}</span>
              <span class="trend" title="Change from the previous window of the same length">${trend(trendPercent, isComparable(groups))}</span>
            </li>`,
          )}
        </ul>`
    }
  <//>`
}
