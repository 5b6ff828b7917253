import { useApp } from '../app-context.ts'
import { Card } from '../components/card.ts'
import { labelOfType, number } from '../components/format.ts'
import { chartDimensions, HistogramCard } from '../components/histogram-card.ts'
import { Ranking } from '../components/ranking.ts'
import { reportColumns } from '../components/report-columns.ts'
import { OpenedReport } from '../components/report-drawer.ts'
import { Empty } from '../components/states.ts'
import { ListFoot, Table } from '../components/table.ts'
import { html, useState } from '../html.ts'
import { rangeMs, request, windowOf } from '../requests.ts'
import { dimensionsOf, typeOf } from '../state.ts'
import { useList, useRead } from '../use-read.ts'
import { groupsOf } from './reports/groups.ts'

const step = 20
const mostGroups = 100

/** Reports of a type: histogram, ranking of a dimension, groups if the API has them, and the list. */
export function View() {
  const { state } = useApp()
  const type = typeOf(state)
  const dimension = chartDimensions(state).chosen ?? dimensionsOf(state)[0]
  const [most, setMost] = useState(step)
  const ranking = useRead(request(state, '/v1/reports/grouped', { groupBy: dimension, limit: most, total: true }))
  const Groups = groupsOf(type)
  const found = Math.min(ranking.body?.groupCount ?? 0, mostGroups)
  const more =
    found > most &&
    html`<button type="button" class="control" onClick=${() => setMost(Math.min(most + step, mostGroups))}>Show more</button>`
  return html`<h1 class="unseen">${labelOfType(type)}</h1>
    <${HistogramCard} />
    ${Groups && html`<${Groups} key=${type} />`}
    <div class="columns late">
      <div><${ReportList} key=${type} /></div>
      <div><${Ranking} id="ranking" title=${`By ${dimension}`} dimension=${dimension} read=${ranking} all=${more} /></div>
    </div>`
}

function ReportList() {
  const { state, go } = useApp()
  const open = ({ id }: any) => go({ own: { ...state.own, reportId: id } }, { replace: true })
  const path = '/v1/reports'
  const list = useList(request(state, path, { limit: step }))
  const { last } = windowOf(state, path)
  const count = useRead(request(state, '/v1/reports/count', windowOf(state, path)))
  const isShorter = last !== undefined && rangeMs(last) < rangeMs(state.last)
  const foot =
    list.rows.length > 0 && html`<${ListFoot} list=${list} total=${count.body?.data.reportCount} number=${number} />`
  return html`<${Card} id="newest" title="Newest reports" read=${list} foot=${foot} rows=${10}
      note=${isShorter ? `the list covers ${last}` : ''}>
      ${
        list.rows.length === 0
          ? html`<${Empty} />`
          : html`<${Table} caption="Newest reports" columns=${reportColumns(typeOf(state), open)} rows=${list.rows} keyOf=${({ id }: any) => id} />`
      }
    <//>
    <${OpenedReport} rows=${list.rows} reportType=${typeOf(state)} />`
}
