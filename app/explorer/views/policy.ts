import { useApp } from '../app-context.ts'
import { Card } from '../components/card.ts'
import { Command } from '../components/first-steps.ts'
import { number } from '../components/format.ts'
import { Empty } from '../components/states.ts'
import { Text } from '../components/value.ts'
import { html } from '../html.ts'
import { request } from '../requests.ts'
import { useRead } from '../use-read.ts'
import { CheckCards } from './policy/check-cards.ts'
import { additionsOf, choicesOf, decisionCommands, flippedKeys } from './policy/choices.ts'
import { withAdditions } from './policy/policy-text.ts'
import { QuotedCard } from './policy/quoted-card.ts'
import { SourcesCard } from './policy/sources-card.ts'
import { TextCard } from './policy/text-card.ts'

const path = '/v1/sites/{siteId}/csp-policies'

export function View() {
  const { state, sites, me } = useApp()
  const { policyId, limit } = state.own
  const quoted = useRead(request(state, path, { limit: 200 }))
  const advice = useRead(request(state, `${path}/advice`, { policyId, limit }))
  const data = advice.body?.data
  const policy = data?.policy
  const flipped = flippedKeys(state.own.flip)
  const choices = data ? choicesOf(data) : []
  const directives = withAdditions(policy?.text ?? '', additionsOf(choices, flipped))
  const commands = decisionCommands(choices, flipped, { tenant: me?.tenant.id, site: state.siteId ?? '' })
  const site = sites.find(({ id }) => id === state.siteId)?.name
  return html`<div class="title line-of">
      <h1>From reports to a policy</h1>
      <p class="muted cut"><${Text} text=${site} />${policy && html` · <${Quotes} policy=${policy} quoted=${quoted.body} />`}</p>
      <button type="button" class="control end" data-key="another policy" onClick=${showQuoted}>Another policy</button>
    </div>
    ${data?.note && html`<p class="bad">${data.note}</p>`}
    ${
      data && !policy
        ? html`<${Card} id="sources" title="Sources to allow" read=${advice}><${Empty} text="No report in this window quotes a policy." /><//>`
        : html`<div class="columns wide-side">
          <div><${SourcesCard} read=${advice} choices=${choices} flipped=${flipped} /></div>
          <div>
            <${TextCard} read=${advice} directives=${directives} />
            ${commands && html`<${Card} id="decisions" title="Record your choices" read=${advice}><div class="pad"><${Command} text=${commands} /></div><//>`}
            ${policy && html`<${CheckCards} advice=${data} directives=${directives} />`}
          </div>
        </div>`
    }
    <${QuotedCard} read=${quoted} shownId=${policy?.id} servedIds=${data?.servedPolicyIds ?? []} />`
}

function showQuoted() {
  const card = document.getElementById('policies')
  card?.scrollIntoView({ block: 'start' })
  card?.focus({ preventScroll: true })
}

/** Which reports the advice reads. */
function Quotes({ policy, quoted }: any) {
  const policies = quoted?.data ?? []
  const sum = policies.reduce((before: any, { reportCount }: any) => before + reportCount, 0)
  const own = policies.find(({ id }: any) => id === policy.id)?.reportCount
  return html`${own !== undefined && `${number(own)} of ${quoted.truncated ? 'more than ' : ''}${number(sum)} `}reports quote${' '}
    <code title=${policy.text}><${Text} text=${policy.text} /></code>`
}
