import { useApp } from '../../app-context.ts'
import { Badge } from '../../components/badge.ts'
import { Card } from '../../components/card.ts'
import { counted, number } from '../../components/format.ts'
import { Empty } from '../../components/states.ts'
import { Time } from '../../components/time.ts'
import { Text } from '../../components/value.ts'
import { html, useState } from '../../html.ts'
import type { Read } from '../../use-read.ts'
import { groupPolicies } from './policy-groups.ts'

const shownGroups = 5
const shownMembers = 4

import type { PolicyGroup } from './policy-groups.ts'

/** Policies quoted in reports, grouped by their differences. */
export function QuotedCard({ read, shownId, servedIds }: { read: Read; shownId?: string; servedIds: string[] }) {
  const [isWhole, setWhole] = useState(false)
  const policies = read.body?.data ?? []
  const groups = groupPolicies(policies)
  const rest = groups.length - shownGroups
  const note =
    read.body &&
    `${read.body.truncated ? 'the latest ' : ''}${counted(policies.length, 'policy', 'policies')} in ${counted(groups.length, 'group')}; policies in a group differ in a few values`
  const foot =
    rest > 0 &&
    html`<button type="button" class="control" aria-expanded=${isWhole ? 'true' : 'false'} onClick=${() => setWhole(!isWhole)}>${isWhole ? 'Show less' : `Show all ${number(groups.length)} groups`}</button>`
  const isShown = (group: any, at: number) =>
    isWhole || at < shownGroups || group.members.some(({ id }: any) => id === shownId)
  return html`<${Card} id="policies" title="Policies quoted in reports" note=${note} read=${read} foot=${foot}>
    ${
      policies.length === 0
        ? html`<${Empty} text="No report in this window quotes a policy." />`
        : html`<table class="quoted">
            <caption class="unseen">Policies quoted in reports</caption>
            <colgroup><col /><col class="of-number" /><col class="of-time" /><col class="of-time" /></colgroup>
            <thead><tr>
              <th scope="col">Policy</th><th scope="col" class="numeric">Reports</th>
              <th scope="col" title="In this window">First quoted</th><th scope="col" title="In this window">Last quoted</th>
            </tr></thead>
            ${groups.filter(isShown).map((group) => html`<${Group} key=${group.key} ...${{ group, shownId, servedIds }} />`)}
          </table>`
    }
  <//>`
}

function Group({ group, shownId, servedIds }: { group: PolicyGroup; shownId?: string; servedIds: string[] }) {
  const [isWhole, setWhole] = useState(false)
  const { disposition, reportCount, members, differs, common } = group
  const isOne = members.length === 1
  const rows = members.filter(({ id }, at) => isWhole || at < shownMembers || id === shownId)
  const badge = html`<${Badge} word=${disposition} label=${disposition === 'report' ? 'report only' : 'enforced'} />`
  return html`<tbody data-rows>
    ${
      !isOne &&
      html`<tr class="group-head">
        <th scope="rowgroup" colspan="4">
          ${badge} ${counted(members.length, 'policy', 'policies')}, ${counted(reportCount, 'report')}; they differ in
          ${differs.map((name, at) => html`${at > 0 && ','} <code key=${name}>${name}</code>`)}
          ${common && html`<div class="cell"><code><${Text} text=${common} /></code></div>`}
        </th>
      </tr>`
    }
    ${rows.map((member) => html`<${Member} key=${member.id} ...${{ member, isOne, badge: isOne && badge, isShown: member.id === shownId, isServed: servedIds.includes(member.id) }} />`)}
    ${
      members.length > shownMembers &&
      html`<tr class="group-foot"><td colspan="4">
        <button type="button" class="link-button" aria-expanded=${isWhole ? 'true' : 'false'} onClick=${() => setWhole(!isWhole)}>
          ${isWhole ? 'Show less' : `${number(members.length - shownMembers)} more in this group`}</button>
      </td></tr>`
    }
  </tbody>`
}

/** A policy's own parts; a press opens it above. */
function Member({ member, isOne, badge, isShown, isServed }: any) {
  const { go } = useApp()
  const { id, policy, own, reportCount, firstSeen, lastSeen } = member
  const open = () => {
    go({ own: { policyId: id } })
    document.getElementById('view')?.scrollIntoView({ block: 'start' })
  }
  const text = isOne ? policy : own.map(({ name, values }: any) => [name, ...values].join(' ')).join('; ')
  return html`<tr data-row data-key=${`row ${id}`}>
    <td data-label="Policy"><div class="cell">
      ${badge}${isServed && html` <${Badge} word="served" title="Served to a scan of the site’s pages; other policies appear only in reports" />`}
      <button type="button" class="text-button" data-focus data-key=${`policy ${id}`} aria-pressed=${isShown ? 'true' : 'false'} title=${policy} onClick=${open}>
        <code><${Text} text=${text} empty="same as the others" /></code>
      </button>
    </div></td>
    <td data-label="Reports" class="numeric"><div class="cell">${number(reportCount)}</div></td>
    <td data-label="First quoted"><div class="cell"><${Time} time=${firstSeen} /></div></td>
    <td data-label="Last quoted"><div class="cell"><${Time} time=${lastSeen} /></div></td>
  </tr>`
}
