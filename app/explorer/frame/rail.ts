import { reportTypeNames } from '../../../schema/report-types.ts'
import { useApp } from '../app-context.ts'
import { labelOfType, number } from '../components/format.ts'
import { Link } from '../components/link.ts'
import { Menu, MenuItem } from '../components/menu.ts'
import { Text, visible } from '../components/value.ts'
import { html, useEffect, useState } from '../html.ts'
import { request, typesTarget } from '../requests.ts'
import { useRead } from '../use-read.ts'
import { views } from '../views.ts'

const searchedFrom = 10

/** Sites, views and types. */
export function Rail({ openHelp, forget }: any) {
  const { state, sites } = useApp()
  const hasSites = sites?.length > 0
  return html`<nav class="rail" aria-label="Views">
    ${hasSites && html`<${SitePicker} />`}
    ${hasSites && html`<${Lines} state=${state} />`}
    <ul class="foot">
      <li><a class="line" href="/docs">API reference</a></li>
      <li><button type="button" class="line" onClick=${openHelp} data-key="keyboard">Keyboard <kbd>?</kbd></button></li>
      ${forget && html`<li><button type="button" class="line" onClick=${forget}>Forget the key</button></li>`}
    </ul>
  </nav>`
}

function Lines({ state }: any) {
  const types = useRead(typesTarget(state))
  const issues = useRead(request(state, '/v1/issues', { limit: 1, total: true }))
  const counted = types.body?.data.filter(({ reportType }: any) => reportTypeNames.includes(reportType)) ?? []
  useEffect(showCurrent, [state.view, state.reportType, counted.length])
  const line = (label: string, changes: any, count: any, isCurrent: boolean) =>
    html`<li key=${label}>
      <${Link} class="line" changes=${changes} current=${isCurrent} data-key=${`rail ${label}`}>
        <span>${label}</span>${count !== undefined && html`<span class="count">${number(count)}</span>`}
      <//>
    </li>`
  const ofGroup = (group: any) =>
    Object.entries(views)
      .filter(([, view]) => view.group === group)
      .map(([name, { label }]) => {
        const changes = { view: name, reportType: undefined, groupBy: undefined, own: {} }
        const isCurrent = state.view === name || (name === 'issues' && state.view === 'issue')
        return line(label, changes, name === 'issues' ? issues.body?.issueCount : undefined, isCurrent)
      })
  const groups = [...new Set(Object.values(views).flatMap(({ group }) => group || []))]
  return html`<ul>${ofGroup('')}</ul>
    <h2>Reports</h2>
    <ul>
      ${counted.map(({ reportType, estimatedReportCount, reportCounts }: any) =>
        line(
          labelOfType(reportType),
          { view: 'reports', reportType, groupBy: undefined, own: {} },
          reportCounts?.reduce((sum: any, count: any) => sum + count, 0) ?? estimatedReportCount,
          state.view === 'reports' && (state.reportType ?? 'csp-violation') === reportType,
        ),
      )}
    </ul>
    ${groups.map((group) => html`<h2 key=${group}>${group}</h2><ul key=${`${group} views`}>${ofGroup(group)}</ul>`)}`
}

/** On a narrow screen the rail is a scrolling line. */
function showCurrent() {
  const line = document.querySelector('.rail [aria-current=page]') as HTMLElement | null
  const rail = line?.closest('.rail')
  if (line && rail) rail.scrollLeft = line.offsetLeft - (rail.clientWidth - line.offsetWidth) / 2
}

function SitePicker() {
  const { state, sites, me, go } = useApp()
  const [search, setSearch] = useState('')
  const current = sites.find(({ id }) => id === state.siteId)
  if (me?.key.siteId) return html`<p class="site-name"><${Text} text=${current?.name ?? sites[0]?.name} /></p>`
  const found = sites.filter(({ name, hosts }) =>
    `${name} ${hosts.join(' ')}`.toLowerCase().includes(search.toLowerCase()),
  )
  const pick = (siteId: any) =>
    go({ siteId, ...(views[state.view]?.params && { own: {} }), ...(state.view === 'issue' && { view: 'issues' }) })
  const label = current?.name ?? (state.siteId ? 'Unknown site' : 'All sites')
  return html`<${Menu} class="site" label=${html`<span class="cut"><${Text} text=${label} /></span>`} name=${`Site: ${visible(label)}`} data-key="site">
    ${(close: () => void) => html`
      ${
        sites.length >= searchedFrom &&
        html`<input type="search" aria-label="Search sites" placeholder="Search" value=${search} onInput=${({ target }: any) => setSearch(target.value)} />`
      }
      ${
        !views[state.view]?.isOfSite &&
        html`<${MenuItem} current=${!state.siteId} pick=${() => {
          pick(undefined)
          close()
        }}>All sites<//>`
      }
      ${found.map(
        ({ id, name, hosts }) => html`<${MenuItem} key=${id} current=${id === state.siteId} pick=${() => {
          pick(id)
          close()
        }}>
        <${Text} text=${name} /> <small>${hosts[0]}</small>
      <//>`,
      )}`}
  <//>`
}
