import { useApp } from '../../app-context.ts'
import { Badge } from '../../components/badge.ts'
import { Card } from '../../components/card.ts'
import { counted, number } from '../../components/format.ts'
import { Link } from '../../components/link.ts'
import { Empty } from '../../components/states.ts'
import { Table } from '../../components/table.ts'
import { Text } from '../../components/value.ts'
import { html } from '../../html.ts'
import type { Read } from '../../use-read.ts'
import { isTicked } from './choices.ts'
import { partyTexts, reasonTexts } from './reason-texts.ts'

const mostSources = 200

import type { Choice } from './choices.ts'

/** Sources with a tick each. */
export function SourcesCard({ read, choices, flipped }: { read: Read; choices: Choice[]; flipped: Set<string> }) {
  const { state, go } = useApp()
  const ticked = choices.filter((choice) => isTicked(choice, flipped)).length
  const flip = ({ key }: any) => {
    const keys = new Set(flipped)
    if (!keys.delete(key)) keys.add(key)
    go({ own: { ...state.own, flip: [...keys].join(',') } }, { replace: true })
  }
  const { sources = [], sourceCount = 0 } = read.body?.data ?? {}
  const hasMore = sources.length < Math.min(sourceCount, mostSources)
  const more = () => go({ own: { ...state.own, limit: String(mostSources) } }, { replace: true })
  const foot = html`<span class="muted">${number(sources.length)} of ${counted(sourceCount, 'source')} in the policy’s reports</span>
    ${hasMore && html`<button type="button" class="control" onClick=${more}>Show up to ${number(mostSources)}</button>`}`
  return html`<${Card} id="sources" title="Sources to allow" note=${`${number(ticked)} of ${number(choices.length)} selected · page counts include reports of any policy`} read=${read} foot=${sourceCount > 0 && foot} rows=${10}>
    ${
      choices.length === 0
        ? html`<${Empty} text="The policy’s reports contain no source: nothing to add." />`
        : html`<${Table} isWide caption="Sources to allow" rows=${choices} keyOf=${({ key }: any) => key} columns=${columns({ choices, flipped, flip })} />`
    }
  <//>`
}

const columns = ({ choices, flipped, flip }: any) => [
  {
    label: 'Directive and source',
    of: (choice: any) =>
      html`<${SourceCell} choice=${choice} isFirst=${isFirst(choices, choice)} isTicked=${isTicked(choice, flipped)} flip=${() => flip(choice)} />`,
  },
  { label: 'Reports', of: ({ source }: any) => number(source.reportCount), numeric: true, width: '76px' },
  {
    label: 'Pages',
    title: 'Pages with reports of this directive and host',
    of: ({ source }: any) => (source.pageCount > 0 ? number(source.pageCount) : '—'),
    numeric: true,
    width: '68px',
  },
  { label: 'What it is', of: (choice: any) => html`<${Kind} choice=${choice} />`, width: '22%' },
]

/** Whether the row before it is of another directive. */
const isFirst = (choices: any, choice: any) => choices[choices.indexOf(choice) - 1]?.directive !== choice.directive

function SourceCell({
  choice,
  isFirst,
  isTicked,
  flip,
}: {
  choice: Choice
  isFirst: boolean
  isTicked: boolean
  flip: () => void
}) {
  const { key, directive, text, addition, source } = choice
  const { issueId } = source
  const openOnEnter = (event: any) => {
    if (event.key === 'Enter') event.target.closest('tr').querySelector('a').click()
  }
  return html`<div class="tick">
    <input type="checkbox" id=${`tick ${key}`} checked=${isTicked} disabled=${!addition} aria-label=${`${directive} ${text}`} data-focus=${Boolean(addition)}
      data-only=${Boolean(addition)} onChange=${flip} onKeyDown=${openOnEnter} title=${addition ? 'Allow' : 'Never allow'} />
    <div>
      <code class=${isFirst ? 'muted' : 'unseen'}>${directive}</code>
      <${Link} class="plain" changes=${{ view: 'issue', reportType: 'csp-violation', own: { issueId } }} data-focus=${!addition} title="Open the issue"><code><${Text} text=${text} /></code><//>
    </div>
  </div>`
}

function Kind({ choice: { addition, isHash, reasons, source } }: { choice: Choice }) {
  const { party, noiseCount, reportCount, sample, firstSeenEver } = source
  const isNoise = noiseCount === reportCount
  const what = isHash ? 'inline, whole sample' : isNoise ? 'noise' : (partyTexts[party] ?? party)
  const badges = reasons.filter((reason) => reason !== 'noise' || !isNoise)
  return html`<div class="kind" title=${isHash ? sample : undefined}>
    <span class="muted">${what}</span>
    ${!addition && html`<${Badge} word="never_allow" title=${reasons.map((reason) => reasonTexts[reason] ?? reason).join('. ')} />`}
    ${badges.map((reason) => {
      const isNew = reason.startsWith('new_')
      const title = `${reasonTexts[reason] ?? reason}${isNew ? `; first seen ${firstSeenEver.slice(0, 10)}` : ''}`
      return html`<${Badge} key=${reason} word=${isNew ? 'new' : reason} tone=${addition && !isNew ? 'warn' : isNew ? 'warn' : ''} title=${title} />`
    })}
  </div>`
}
