// @ts-check
import { useApp } from '../../app-context.js'
import { isComparable, labelOfType, number, trend } from '../../components/format.js'
import { Link } from '../../components/link.js'
import { SparkBars } from '../../components/spark-bars.js'
import { ErrorState, Loading } from '../../components/states.js'
import { html } from '../../html.js'
import { newIssuesTarget, typesTarget } from '../../requests.js'
import { typeOf } from '../../state.js'
import { useRead } from '../../use-read.js'

/** Types with reports: how many, their change and their course. Filters of reports do not count here. */
export function TypeStrip() {
  const { state } = useApp()
  const read = useRead(typesTarget(state))
  const issues = useRead(newIssuesTarget(state))
  if (read.error && !read.body) return html`<section class="card"><${ErrorState} error=${read.error} /></section>`
  if (!read.body) return html`<section class="card"><${Loading} rows=${2} /></section>`
  return html`<ul class=${`strip card ${read.isStale ? 'stale' : ''}`} aria-label="Report types" data-target=${read.target} id="types">
    ${read.body.data.map(
      ({ reportType, reportCounts, trendPercent }) => html`<li key=${reportType}>
      <${Link} changes=${{ reportType, groupBy: undefined }} current=${typeOf(state) === reportType} data-key=${`type ${reportType}`}>
        <span class="label">${labelOfType(reportType)}</span>
        <span class="big">${number(reportCounts.reduce((sum, count) => sum + count, 0))}</span>
        <span class="course"><span class="trend" title="Change against the window of equal length before">${trend(trendPercent, isComparable(read.body.data))}</span><${SparkBars} counts=${reportCounts} /></span>
      <//>
    </li>`,
    )}
    <li key="issues">
      <${Link} changes=${{ view: 'issues', own: { new: 'true' } }} data-key="type issues">
        <span class="label">New issues</span><span class="big">${number(issues.body?.issueCount)}</span>
        <span class="course"><span class="trend">first seen ever</span></span>
      <//>
    </li>
  </ul>`
}
