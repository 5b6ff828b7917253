import { governingList } from '../../../../schema/rules/csp/governing-directive.ts'
import { Card } from '../../components/card.ts'
import { number } from '../../components/format.ts'
import { Text } from '../../components/value.ts'
import { html } from '../../html.ts'
import type { Read } from '../../use-read.ts'

const directivesOf = (policy: string) =>
  policy
    .split(';')
    .map((part: string) => part.trim().replace(/\s+/g, ' '))
    .filter(Boolean)

const nameOf = (directive: string) => directive.replace(/ .*/s, '').toLowerCase()

/** The policy quoted most. */
export const mostQuoted = ({ body }: Read) => body?.data.toSorted((a: any, b: any) => b.reportCount - a.reportCount)[0]

/** The policy that most reports of the issue quote. `directive`: the one of the policy that blocked */
export function BlockingPolicy({
  policies,
  directive,
  reportCount,
}: {
  policies: Read
  directive: string
  reportCount?: number
}) {
  const most = mostQuoted(policies)
  const note = most && `quoted in ${number(most.reportCount)} of ${number(reportCount)} reports in the window`
  return html`<${Card} id="policy" title="Policy that blocked it" note=${note} read=${policies} rows=${2}>
    ${() => (most ? html`<${Marked} policy=${most.policy} directive=${directive} />` : html`<p class="muted pad">No report in this window quotes a policy.</p>`)}
  <//>`
}

function Marked({ policy, directive }: any) {
  const parts = directivesOf(policy)
  const governing = governingList(new Map(parts.map((part: any) => [nameOf(part), part])), directive)?.name
  return html`<p class="policy"><code>${parts.map((part: any, at: number) => {
    const text = html`<${Text} text=${part} />`
    return html`${nameOf(part) === governing ? html`<mark>${text}</mark>` : text}${at < parts.length - 1 && '; '}`
  })}</code></p>`
}
