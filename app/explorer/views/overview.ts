import { useApp } from '../app-context.ts'
import { HistogramCard } from '../components/histogram-card.ts'
import { Link } from '../components/link.ts'
import { Ranking } from '../components/ranking.ts'
import { Url } from '../components/value.ts'
import { html } from '../html.ts'
import { request, takes } from '../requests.ts'
import { dimensionsOf, type State } from '../state.ts'
import { useRead } from '../use-read.ts'
import { NewIssues } from './overview/new-issues.ts'
import { TypeStrip } from './overview/type-strip.ts'

const grouped = '/v1/reports/grouped'
const shownRows = 7

const titles: Readonly<Record<string, string>> = {
  blockedHost: 'Blocked hosts',
  page: 'Pages',
  documentHost: 'Hosts of pages',
  directive: 'Directives',
  feature: 'Features',
  sourceFile: 'Scripts',
  browserName: 'Browsers',
}

/** Two dimensions for rankings: blocked or failed resource, and location. */
function rankedDimensions(state: State) {
  const [first = '', second = ''] = dimensionsOf(state)
  return [first, takes(grouped, 'page') ? 'page' : first === 'documentHost' ? second : 'documentHost']
}

const pageLabel = (page: any) => page && html`<${Url} url=${page} />`

export function View() {
  const { state } = useApp()
  const dimensions = rankedDimensions(state)
  const read = (dimension: string) =>
    useRead(request(state, grouped, { groupBy: dimension, limit: shownRows, total: true }))
  const rankings = dimensions.map(read)
  const all = (groupBy: string) => html`<${Link} changes=${{ view: 'reports', groupBy }}>All<//>`
  return html`<h1 class="unseen">Overview</h1>
    <${TypeStrip} />
    <${HistogramCard} />
    <div class="panels">
      ${dimensions.map(
        (dimension, at) => html`<${Ranking} key=${at} id=${`ranking-${at + 1}`} title=${titles[dimension] ?? dimension}
        dimension=${dimension} label=${dimension === 'page' ? pageLabel : undefined} read=${rankings[at]} all=${all(dimension)} />`,
      )}
      <${NewIssues} />
    </div>`
}
