import { useApp } from '../../app-context.ts'
import { isComparable, labelOfType, number, trend } from '../../components/format.ts'
import { Link } from '../../components/link.ts'
import { SparkBars } from '../../components/spark-bars.ts'
import { ErrorState, Loading } from '../../components/states.ts'
import { html } from '../../html.ts'
import { newIssuesTarget, rangeMs, typesTarget } from '../../requests.ts'
import { typeOf } from '../../state.ts'
import { useRead } from '../../use-read.ts'

const dayMs = 86_400_000

/**
 * Cells per line, so that all lines have equally many.
 * @param most that fit
 */
const inLine = (count: number, most: number) => String(Math.ceil(count / Math.ceil(count / most)))

/** Types with reports: how many, their change and their course. Filters of reports do not count here. */
export function TypeStrip() {
  const { state } = useApp()
  const read = useRead(typesTarget(state))
  const issues = useRead(newIssuesTarget(state))
  const isLong = !state.from && !state.to && rangeMs(state.last) > dayMs
  const latest = useRead(isLong ? newIssuesTarget({ ...state, last: '24h' }, 1) : undefined)
  if (read.error && !read.body) return html`<section class="card"><${ErrorState} error=${read.error} /></section>`
  if (!read.body) return html`<section class="card"><${Loading} rows=${2} /></section>`
  const cells = read.body.data.length + 1
  const inLines = { '--of-wide': inLine(cells, 8), '--of-middle': inLine(cells, 6), '--of-small': inLine(cells, 4) }
  return html`<ul class=${`strip card ${read.isStale ? 'stale' : ''}`} style=${inLines} aria-label="Report types" data-target=${read.target} id="types">
    ${read.body.data.map(
      ({ reportType, reportCounts, trendPercent }: any) => html`<li key=${reportType}>
      <${Link} changes=${{ reportType, groupBy: undefined }} current=${typeOf(state) === reportType} data-key=${`type ${reportType}`}>
        <span class="label">${labelOfType(reportType)}</span>
        <span class="big">${number(reportCounts.reduce((sum: any, count: any) => sum + count, 0))}</span>
        <span class="course"><span class="trend" title="Change from the previous window of the same length">${trend(trendPercent, isComparable(read.body.data))}</span><${SparkBars} counts=${reportCounts} /></span>
      <//>
    </li>`,
    )}
    <li key="issues">
      <${Link} changes=${{ view: 'issues', own: { new: 'true' } }} data-key="type issues">
        <span class="label">New issues</span><span class="big">${number(issues.body?.issueCount)}</span>
        <span class="course"><span class="trend" title="First seen in the last 24 hours">${isLong ? `${number(latest.body?.issueCount)} in 24 h` : 'first seen'}</span></span>
      <//>
    </li>
  </ul>`
}
