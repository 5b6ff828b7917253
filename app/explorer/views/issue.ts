import { otherIssues } from '../../../schema/issue-id.ts'
import { type ReportType, reportTypeRows } from '../../../schema/report-types.ts'
import { useApp } from '../app-context.ts'
import { Badge } from '../components/badge.ts'
import { Card } from '../components/card.ts'
import { counted, number } from '../components/format.ts'
import { HistogramCard } from '../components/histogram-card.ts'
import { IssueBadges } from '../components/issue-badges.ts'
import { IssueSentence } from '../components/issue-sentence.ts'
import { Link } from '../components/link.ts'
import { reportColumns } from '../components/report-columns.ts'
import { OpenedReport } from '../components/report-drawer.ts'
import { ShareBar } from '../components/share-bar.ts'
import { ErrorState, Loading } from '../components/states.ts'
import { ListFoot, Table } from '../components/table.ts'
import { Time } from '../components/time.ts'
import { isFilterable, Url } from '../components/value.ts'
import { html } from '../html.ts'
import { request } from '../requests.ts'
import { typeOf } from '../state.ts'
import { useList, useRead } from '../use-read.ts'
import { BlockingPolicy } from './issue/blocking-policy.ts'
import { Sidebar } from './issue/sidebar.ts'

const base = '/v1/sites/{siteId}/issues/{issueId}'
const longest = '31d'
const chartChoices = ['browserName', 'documentHost', 'osName', 'deviceType']

/** Undefined if the API has no filter for it. */
const filterable = (text: string | undefined) => (text !== undefined && isFilterable(text) ? text : undefined)

/** Data of an issue: its reports, its row in the list of issues, and its pages. */
function useIssue(state: any) {
  const {
    siteId,
    own: { issueId },
  } = state
  const reportType = typeOf(state)
  const own = { siteId, issueId, reportType }
  const whole = { ...state, conditions: [], noise: 'include' as const }
  const reports = useList(request(whole, `${base}/reports`, { ...own, limit: 20 }))
  const pages = useList(request(whole, `${base}/pages`, { ...own, limit: 7 }))
  const [first] = reports.rows
  const rule = reportTypeRows[reportType].issue?.subject
  const subject = typeof rule === 'object' ? rule.word : (first?.[rule ?? ''] ?? '')
  const host = reportType === 'csp-violation' ? first?.blockedHost?.toLowerCase() : undefined
  const orOther = (text: string | undefined) => text && [text, otherIssues]
  const isOf = {
    ...own,
    'subject.any': orOther(filterable(subject)),
    'targetHost.any': orOther(filterable(host)),
    limit: 200,
  }
  const path = '/v1/sites/{siteId}/issues'
  const rowOf = (target: any) => target.body?.data.find(({ id }: any) => id === issueId)
  const listed = useRead(first && request(whole, path, isOf))
  const fresh = useRead(
    first && request(whole, path, { ...isOf, new: true, last: longest, from: undefined, to: undefined }),
  )
  const row = rowOf(listed)
  const sighted = rowOf(fresh)
  const issue =
    row ?? sighted ?? (first && { id: issueId, reportType, subject, targetHost: host ?? first.blockedHost ?? '' })
  return { reports, pages, own, whole, row, issue: issue && { ...issue, firstSeenEver: sighted?.firstSeenEver } }
}

/** One issue: histogram, pages, policy, reports and advice. */
export function View() {
  const { state } = useApp()
  const { reports, pages, own, whole, row, issue } = useIssue(state)
  const dispositions = useRead(request(whole, '/v1/reports/grouped', { ...own, groupBy: 'disposition' }))
  const browsers = useRead(request(whole, '/v1/reports/grouped', { ...own, groupBy: 'browserName', limit: 20 }))
  const isCsp = own.reportType === 'csp-violation'
  const policies = useRead(
    isCsp ? request(whole, '/v1/sites/{siteId}/csp-policies', { ...own, limit: 200 }) : undefined,
  )
  const title = html`<nav aria-label="Breadcrumb"><${Link} changes=${{ view: 'issues', reportType: undefined }}>Issues<//> / <code>${state.own.issueId}</code></nav>
    <h1>${issue ? html`<${IssueSentence} issue=${issue} />` : 'Issue'}</h1>`
  if (reports.error && !reports.body)
    return html`<div class="title">${title}</div><section class="card"><${ErrorState} error=${reports.error} /></section>`
  if (!issue) return html`<div class="title">${title}</div><section class="card"><${Loading} /></section>`
  const disposed = dispositions.body?.data.map(({ values: [value] }: any) => value).filter(Boolean) ?? []
  return html`<div class="title">${title}
      <div class="badges">
        ${disposed.map((word: string) => html`<${Badge} key=${word} word=${word} label=${word === 'report' ? 'report only' : 'enforced'} />`)}
        ${row && html`<${IssueBadges} issue=${row} />`}
        ${issue.firstSeenEver && html`<span class="badge accent">new since <${Time} time=${issue.firstSeenEver} /></span>`}
      </div>
    </div>
    <div class="columns">
      <div>
        <${HistogramCard} own=${own} of=${whole} title="Reports" by=${chartChoices} />
        <${Pages} list=${pages} />
        ${isCsp && html`<${BlockingPolicy} policies=${policies} directive=${issue.subject} reportCount=${row?.reportCount} />`}
        <${Reports} list=${reports} reportType=${own.reportType} />
      </div>
      <${Sidebar} ...${{ issue, row, own, browsers, reports: reports.rows, pages, policies }} />
    </div>`
}

function Pages({ list }: any) {
  const largest = Math.max(0, ...list.rows.map(({ estimatedReportCount }: any) => estimatedReportCount))
  return html`<${Card} id="pages" title="Pages" note="estimated reports within retention" read=${list} foot=${html`<${ListFoot} list=${list} number=${number} />`}>
    <ul class="ranking" data-rows>${list.rows.map(
      ({ page, reportCount, estimatedReportCount, firstSeen }: any) => html`<li key=${page} data-row>
      <div class="name"><${ShareBar} part=${estimatedReportCount} of=${largest} /><code class="over" title=${page}><${Url} url=${page} empty="(none)" /></code></div>
      <span class="figure" title=${`From ${counted(reportCount, 'stored report')}`}>${number(estimatedReportCount)}</span>
      <span class="trend" title="First seen">${html`<${Time} dateOnly time=${firstSeen} />`}</span>
    </li>`,
    )}</ul>
  <//>`
}

/** Fields that are equal in all reports of an issue. */
const sameFields = (reportType: ReportType) => ['blockedHost', String(reportTypeRows[reportType].issue?.subject)]

function Reports({ list, reportType }: any) {
  const { state, go } = useApp()
  const open = ({ id }: any) => go({ own: { ...state.own, reportId: id } }, { replace: true })
  return html`<${Card} id="reports" title="Newest reports" note="newest first" read=${list} foot=${html`<${ListFoot} list=${list} number=${number} />`}>
      <${Table} caption="Reports of the issue" columns=${reportColumns(reportType, open, sameFields(reportType))} rows=${list.rows} keyOf=${({ id }: any) => id} />
    <//>
    <${OpenedReport} rows=${list.rows} reportType=${reportType} />`
}
