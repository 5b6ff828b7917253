import { useApp } from '../app-context.ts'
import { HistogramCard } from '../components/histogram-card.ts'
import { Link } from '../components/link.ts'
import { Ranking } from '../components/ranking.ts'
import { Url } from '../components/value.ts'
import { html } from '../html.ts'
import { request, takes } from '../requests.ts'
import { dimensionsOf } from '../state.ts'
import { useRead } from '../use-read.ts'
import { NewIssues } from './overview/new-issues.ts'
import { TypeStrip } from './overview/type-strip.ts'

const grouped = '/v1/reports/grouped'
const shownRows = 7

const titles = {
  blockedHost: 'Blocked hosts',
  page: 'Pages',
  documentHost: 'Hosts of pages',
  directive: 'Directives',
  feature: 'Features',
  sourceFile: 'Scripts',
  browserName: 'Browsers',
}

/** Two dimensions for rankings: blocked or failed resource, and location. */
function rankedDimensions(state) {
  const [first, second] = dimensionsOf(state)
  return [first, takes(grouped, 'page') ? 'page' : first === 'documentHost' ? second : 'documentHost']
}

const pageLabel = (page) => page && html`<${Url} url=${page} />`

export function View() {
  const { state } = useApp()
  const dimensions = rankedDimensions(state)
  const read = (dimension) => useRead(request(state, grouped, { groupBy: dimension, limit: shownRows, total: true }))
  const rankings = [read(dimensions[0]), read(dimensions[1])]
  const all = (groupBy) => html`<${Link} changes=${{ view: 'reports', groupBy }}>All<//>`
  return html`<h1 class="unseen">Overview</h1>
    <${TypeStrip} />
    <${HistogramCard} />
    <div class="panels">
      ${rankings.map(
        (
          ranking,
          at,
        ) => html`<${Ranking} key=${at} id=${`ranking-${at + 1}`} title=${titles[dimensions[at]] ?? dimensions[at]}
        dimension=${dimensions[at]} label=${dimensions[at] === 'page' ? pageLabel : undefined} read=${ranking} all=${all(dimensions[at])} />`,
      )}
      <${NewIssues} />
    </div>`
}
