import { curlOf } from '../../api.ts'
import { useApp } from '../../app-context.ts'
import { Badge } from '../../components/badge.ts'
import { Card } from '../../components/card.ts'
import { Copy } from '../../components/copy.ts'
import { number } from '../../components/format.ts'
import { Facts } from '../../components/table.ts'
import { Time } from '../../components/time.ts'
import { Text } from '../../components/value.ts'
import { html } from '../../html.ts'
import { request } from '../../requests.ts'
import { useRead } from '../../use-read.ts'
import { mostQuoted } from './blocking-policy.ts'
import { ticketOf } from './ticket.ts'
import { WhatToDo } from './what-to-do.ts'

const advicePath = '/v1/sites/{siteId}/csp-policies/advice'

/** Earliest known time: over the whole retention if a list is complete or the advice has it. */
function firstSeenOf(issue: any, source: any, pages: any) {
  const isWhole = pages.body && !pages.hasMore
  const times = [
    issue.firstSeenEver,
    source?.firstSeenEver,
    ...(isWhole ? pages.rows.map(({ firstSeen }: any) => firstSeen) : []),
  ].filter(Boolean)
  return times.sort()[0]
}

/** Advice on the policy that blocked an issue, and its part about the issue's source. */
function useAdvice(issue: any, own: any, policies: any) {
  const { state } = useApp()
  const policyId = mostQuoted(policies)?.id
  const target = request({ ...state, conditions: [] }, advicePath, { siteId: own.siteId, policyId, limit: 200 })
  const advice = useRead(policyId && target)
  const isKnown = policies.body !== undefined || policies.error !== undefined
  const body = advice.body ?? (isKnown && !policyId ? { data: { sources: [] } } : undefined)
  return {
    advice: { ...advice, body, isLoading: body === undefined && !advice.error },
    source: body?.data.sources.find(({ issueId }: any) => issueId === issue.id),
  }
}

/** Advice and facts. */
export function Sidebar({ issue, row, own, browsers, reports, pages, policies }: any) {
  const { state, sites } = useApp()
  const isCsp = issue.reportType === 'csp-violation'
  const { advice, source } = useAdvice(issue, own, policies)
  const firstSeen = firstSeenOf(issue, source, pages)
  const families = browsers.body?.data.map(({ values: [name] }: any) => name) ?? []
  const [latest] = reports
  const sample = reports.find((report: any) => report.sample)?.sample
  const file = reports.find((report: any) => report.sourceFile)
  const siteName = sites.find(({ id }) => id === own.siteId)?.name
  const facts = {
    issue,
    row,
    source,
    siteName,
    families,
    firstSeen,
    lastSeen: latest?.receivedAt,
    pages: pages.rows,
    url: location.href,
  }
  const curl = curlOf(request(state, '/v1/sites/{siteId}/issues/{issueId}/reports', { ...own }))
  return html`<div>
    ${isCsp && html`<${WhatToDo} advice=${advice} source=${source} own=${own} />`}
    <${Card} id="facts" title="Facts" tools=${html`<${Copy} label="Markdown" what="the issue as Markdown" text=${() => ticketOf(facts)} /><${Copy} label="curl" what="curl, with the key as $KEY" text=${curl} />`}>
      <div class="pad"><${Facts} pairs=${[
        ['First seen', html`<${Time} time=${firstSeen} />`],
        ['Last seen', html`<${Time} time=${latest?.receivedAt} />`],
        ['Reports in window', number(row?.reportCount)],
        ['Estimated', number(row?.estimatedReportCount)],
        ['Pages in window', number(row?.affectedPages)],
        ['Site', html`<${Text} text=${siteName} />`],
        ['Browsers', families.length > 0 ? html`<${Text} text=${families.join(', ')} />` : '–'],
        ['Confidence', row ? html`<${Badge} word=${row.confidence} />` : '–'],
        ['Sample', html`<code><${Text} text=${sample} /></code>`],
        [
          'Source file',
          file ? html`<code><${Text} text=${`${file.sourceFile}:${file.lineNumber ?? '?'}`} /></code>` : '–',
        ],
      ]} /></div>
    <//>
  </div>`
}
