/** @module Groups other than issues: network errors, crashes and browser changes. */

import { useApp } from '../../app-context.ts'
import { Card } from '../../components/card.ts'
import { counted, number } from '../../components/format.ts'
import { ListFoot, Table } from '../../components/table.ts'
import { Time } from '../../components/time.ts'
import { Text, Value } from '../../components/value.ts'
import { html } from '../../html.ts'
import { request } from '../../requests.ts'
import { useList } from '../../use-read.ts'

const step = 20

const code = (text: any) => html`<code><${Text} text=${text} /></code>`

const reports = { label: 'Reports', width: '6rem', numeric: true, of: ({ reportCount }: any) => number(reportCount) }
const lastSeen = { label: 'Last seen', width: '9.5rem', of: (row: any) => html`<${Time} time=${row.lastSeen} />` }
const feature = (label: string) => ({
  label,
  of: (row: any) => html`<${Value} isRow name="feature" value=${row.feature ?? row.errorType ?? row.reason ?? ''} />`,
})

const deprecation = {
  path: '/v1/browser-changes',
  title: 'Browser changes, soonest removal first',
  keyOf: ({ reportType, feature: name, sourceFile, lineNumber }: any) =>
    JSON.stringify([reportType, name, sourceFile, lineNumber]),
  more: ({ withRemovalDateCount }: any) => `${number(withRemovalDateCount)} with a removal date`,
  total: () => undefined,
  columns: [
    {
      label: 'Removal',
      width: '8rem',
      of: ({ anticipatedRemoval }: any) => html`<${Time} dateOnly time=${anticipatedRemoval} />`,
    },
    feature('API'),
    {
      label: 'Script',
      width: '30%',
      of: ({ sourceFile, lineNumber }: any) => code(sourceFile && `${sourceFile}:${lineNumber ?? '?'}`),
    },
    { label: 'Message', isMinor: true, width: '25%', of: ({ message }: any) => html`<${Text} text=${message} />` },
  ],
}

/** Operation, title and columns by report type; `more` formats its totals. */
const groups = {
  'network-error': {
    path: '/v1/network-errors',
    title: 'Network errors by origin',
    keyOf: ({ errorType, phase, origin, statusCode }: any) => JSON.stringify([errorType, phase, origin, statusCode]),
    more: ({ originCount }: any) => counted(originCount, 'origin'),
    total: ({ groupCount }: any) => groupCount,
    columns: [
      feature('Error'),
      { label: 'Phase', isMinor: true, width: '8rem', of: ({ phase }: any) => html`<${Text} text=${phase} />` },
      { label: 'Origin', width: '30%', of: ({ origin }: any) => code(origin) },
      { label: 'Status', isMinor: true, width: '5rem', numeric: true, of: ({ statusCode }: any) => statusCode ?? '–' },
      { label: 'Servers', isMinor: true, of: ({ serverIps }: any) => code(serverIps.join(' ')) },
    ],
  },
  crash: {
    path: '/v1/crashes',
    title: 'Crashes by page',
    keyOf: ({ reason, page, stackExcerpt }: any) => JSON.stringify([reason, page, stackExcerpt]),
    more: ({ pageCount }: any) => counted(pageCount, 'page'),
    total: ({ groupCount }: any) => groupCount,
    columns: [
      feature('Reason'),
      { label: 'Page', width: '35%', of: ({ page }: any) => code(page) },
      { label: 'Stack', isMinor: true, width: '25%', of: ({ stackExcerpt }: any) => code(stackExcerpt) },
      { label: 'Browsers', isMinor: true, of: ({ browsers }: any) => browsers.join(', ') },
    ],
  },
  deprecation,
  intervention: deprecation,
}

function Groups({ definition: { path, title, keyOf, more, total, columns } }: any) {
  const { state } = useApp()
  const list = useList(request(state, path, { limit: step }))
  const totals = list.body?.totals
  const foot =
    list.rows.length > 0 && html`<${ListFoot} list=${list} total=${totals && total(totals)} number=${number} />`
  return html`<${Card} id="groups" title=${title} read=${list} foot=${foot} note=${totals && more(totals)}>
    ${
      list.rows.length === 0
        ? html`<p class="muted pad">Nothing in this window.</p>`
        : html`<${Table} caption=${title} rows=${list.rows} keyOf=${keyOf} columns=${[...columns, reports, lastSeen]} />`
    }
  <//>`
}

const components: Map<string, (props: object) => any> = new Map(
  Object.entries(groups).map(([type, definition]) => [type, () => html`<${Groups} definition=${definition} />`]),
)

/** Card of a type's groups; undefined for a type without. */
export const groupsOf = (type: string) => components.get(type)
