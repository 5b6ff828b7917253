// @ts-check
import { useApp } from '../app-context.js'
import { HistogramCard } from '../components/histogram-card.js'
import { Link } from '../components/link.js'
import { Ranking } from '../components/ranking.js'
import { Url } from '../components/value.js'
import { html } from '../html.js'
import { request, takes } from '../requests.js'
import { dimensionsOf } from '../state.js'
import { useRead } from '../use-read.js'
import { NewIssues } from './overview/new-issues.js'
import { TypeStrip } from './overview/type-strip.js'

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
