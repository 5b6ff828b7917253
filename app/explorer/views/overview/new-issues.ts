import { useApp } from '../../app-context.ts'
import { Badge } from '../../components/badge.ts'
import { Card } from '../../components/card.ts'
import { counted, number } from '../../components/format.ts'
import { IssueSentence } from '../../components/issue-sentence.ts'
import { Link } from '../../components/link.ts'
import { Time } from '../../components/time.ts'
import { html } from '../../html.ts'
import { newIssuesTarget } from '../../requests.ts'
import { useRead } from '../../use-read.ts'

/** Issues that are new in the window. */
export function NewIssues() {
  const { state } = useApp()
  const read = useRead(newIssuesTarget(state))
  const issues = read.body?.data ?? []
  const foot =
    issues.length > 0 &&
    html`<span class="muted">${number(issues.length)} of ${number(read.body.issueCount)}</span>
    <${Link} changes=${{ view: 'issues', own: { new: 'true' } }}>All<//>`
  return html`<${Card} id="new-issues" title="New in this window" note=${read.body && number(read.body.issueCount)} read=${read} foot=${foot} rows=${6}>
    ${issues.length === 0 && html`<p class="muted pad">No issue was first seen in this window.</p>`}
    <ul class="issues" data-rows>${issues.map(
      (issue: any) => html`<li key=${issue.id} data-row data-key=${`new ${issue.id}`}>
      <${Link} data-focus class="plain" changes=${{ view: 'issue', siteId: issue.siteId, reportType: issue.reportType, own: { issueId: issue.id } }}><${IssueSentence} issue=${issue} /><//>
      <${Badge} word=${issue.confidence} label=${`${issue.confidence} confidence`} />
      <p class="muted">${counted(issue.affectedPages, 'page')} · ${counted(issue.browserFamilyCount, 'browser')} · first seen <${Time} time=${issue.firstSeenEver} /></p>
    </li>`,
    )}</ul>
  <//>`
}
