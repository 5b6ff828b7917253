import { issueTypeNames } from '../../../schema/report-types.ts'
import { useApp } from '../app-context.ts'
import { Card } from '../components/card.ts'
import { labelOfType, number } from '../components/format.ts'
import { confidenceText, IssueBadges } from '../components/issue-badges.ts'
import { IssueSentence } from '../components/issue-sentence.ts'
import { Link } from '../components/link.ts'
import { Menu, MenuItem } from '../components/menu.ts'
import { Empty } from '../components/states.ts'
import { ListFoot, Table } from '../components/table.ts'
import { Time } from '../components/time.ts'
import { RowFilter, Text } from '../components/value.ts'
import { html } from '../html.ts'
import { request } from '../requests.ts'
import { useList } from '../use-read.ts'

const step = 50

/** Issues, most recently seen first. */
export function View() {
  const { state, sites } = useApp()
  const isNew = state.own.new === 'true'
  const list = useList(
    request(state, '/v1/issues', { reportType: state.reportType, new: isNew || undefined, total: true, limit: step }),
  )
  const count = list.body?.issueCount
  const foot = list.rows.length > 0 && html`<${ListFoot} list=${list} total=${count} number=${number} />`
  const siteName = (id: string) => sites.find((site) => site.id === id)?.name ?? id
  const isOfSites = !state.siteId && sites.length > 1
  const columns = [
    {
      label: 'Issue',
      of: (issue: any) =>
        html`<${Link} data-focus class="plain" changes=${{ view: 'issue', siteId: issue.siteId, reportType: issue.reportType, groupBy: undefined, own: { issueId: issue.id } }}><${IssueSentence} issue=${issue} /><//><${RowFilter} name="targetHost" value=${issue.targetHost} />`,
    },
    {
      label: 'Confidence',
      width: '7.5rem',
      isPlain: true,
      title: confidenceText,
      of: (issue: any) => html`<${IssueBadges} issue=${issue} isShort />`,
    },
    ...(isOfSites
      ? [
          {
            label: 'Site',
            width: '12%',
            isPlain: true,
            of: ({ siteId }: any) => html`<${Text} text=${siteName(siteId)} />`,
          },
        ]
      : []),
    { label: 'Pages', width: '4.5rem', numeric: true, of: ({ affectedPages }: any) => number(affectedPages) },
    {
      label: 'Browsers',
      isMinor: true,
      width: '5.75rem',
      numeric: true,
      of: ({ browserFamilyCount }: any) => number(browserFamilyCount),
    },
    { label: 'Reports', width: '5.5rem', numeric: true, of: ({ reportCount }: any) => number(reportCount) },
    {
      label: 'First seen',
      isMinor: true,
      width: '9rem',
      title: 'For new issues: first seen ever; for others: first seen in this window',
      of: ({ firstSeenEver, firstSeen }: any) => html`<${Time} time=${firstSeenEver ?? firstSeen} />`,
    },
    {
      label: 'Last seen',
      width: '9.25rem',
      title: 'Most recent first',
      of: ({ lastSeen }: any) => html`<${Time} time=${lastSeen} />`,
    },
  ]
  return html`<h1 class="unseen">Issues</h1>
    <${Card} id="issues" title="Issues" read=${list} rows=${12} foot=${foot} note=${count !== undefined && `${number(count)}, most recent first`} tools=${html`<${Tools} isNew=${isNew} />`}>
      ${
        list.rows.length === 0
          ? html`<${Empty} text=${isNew ? 'No issue was first seen in this window.' : 'No issue in this window.'} />`
          : html`<${Table} caption="Issues" columns=${columns} rows=${list.rows} keyOf=${({ id, reportType, siteId }: any) => `${reportType} ${id} ${siteId}`} />`
      }
    <//>`
}

/** Filters by type and by new issues. */
function Tools({ isNew }: any) {
  const { state, go } = useApp()
  const label = state.reportType ? labelOfType(state.reportType) : 'All types'
  return html`<${Menu} end label=${html`${label} <span aria-hidden="true">▾</span>`} name=${`Type: ${label}`} data-key="issue type">
      ${(close: () => void) =>
        [undefined, ...issueTypeNames].map(
          (type) => html`<${MenuItem} key=${type} current=${type === state.reportType}
        pick=${() => {
          go({ reportType: type })
          close()
        }}>${type ? labelOfType(type) : 'All types'}<//>`,
        )}
    <//>
    <button type="button" class="control" data-key="new" aria-pressed=${isNew ? 'true' : 'false'} onClick=${() => go({ own: isNew ? {} : { new: 'true' } })}>First seen in the window</button>`
}
