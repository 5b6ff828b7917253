import { useApp } from '../../app-context.ts'
import { Badge } from '../../components/badge.ts'
import { Card } from '../../components/card.ts'
import { counted, number, words } from '../../components/format.ts'
import { PartsBar } from '../../components/share-bar.ts'
import { Text } from '../../components/value.ts'
import { windowText } from '../../frame/window-menu.ts'
import { html } from '../../html.ts'
import { request } from '../../requests.ts'
import { useRead } from '../../use-read.ts'
import type { ShownDirective } from './policy-text.ts'
import { toText } from './policy-text.ts'
import { unknownTexts } from './reason-texts.ts'

/** Characters of a policy that the API checks. */
const mostChecked = 8192

/** Effect of the policy on the reports of the window, and its weaknesses. */
export function CheckCards({ advice, directives }: { advice: any; directives: ShownDirective[] }) {
  const { state } = useApp()
  const policy = toText(directives)
  const path = '/v1/sites/{siteId}/csp-policies/check'
  const isShort = policy.length <= mostChecked
  const target = isShort ? request(state, path, { policy, policyId: advice.policy.id, limit: 1 }) : undefined
  const read = useRead(target)
  const title = `Against ${windowText(state).replace(/^L/, 'the l')}`
  if (!isShort)
    return html`<${Card} id="check" title=${title}><p class="pad">The API checks policies with up to ${number(mostChecked)} characters; this policy has ${number(policy.length)}.</p><//>`
  return html`<${Card} id="check" title=${title} read=${read}>${({ data }: any) => html`<${Effect} ...${data} />`}<//>
    <${Card} id="weaknesses" title="Weaknesses" note=${read.body?.data.evaluation.evaluator} read=${read}>
      ${({ data }: any) => html`<${Weaknesses} ...${data} before=${advice.evaluation.before} />`}
    <//>`
}

function Effect({ totals: { silent, violation, unknown, unknownReasons, noise } }: any) {
  const why = unknownReasons.map(({ reason }: any) => unknownTexts[reason] ?? words(reason)).join(', ')
  const sum = silent.reportCount + violation.reportCount + unknown.reportCount
  return html`<div class="pad">
    <${PartsBar} parts=${[
      { label: 'would not be reported', count: silent.reportCount, tone: 'good' },
      { label: 'would still be reported', count: violation.reportCount, tone: 'warn' },
      { label: why ? `cannot tell: ${why}` : 'cannot tell', count: unknown.reportCount, tone: 'rest' },
    ]} />
    <p class="muted">Of ${counted(sum, 'report')}${noise.reportCount > 0 && `; ${number(noise.reportCount)} of the reported are noise`}. Reports cannot show resources that never loaded.</p>
  </div>`
}

/** Tone of a severity of csp_evaluator. */
const tones: Readonly<Record<string, string>> = {
  high: 'bad',
  syntax: 'bad',
  medium: 'warn',
  high_maybe: 'warn',
  medium_maybe: 'warn',
}

function Weaknesses({ evaluation, policy, before }: any) {
  const isNew = (finding: any) => !before.some((one: any) => idOf(one) === idOf(finding))
  const warnings = policy.warnings.map(({ directive, value, kind }: any) => ({
    severity: 'syntax',
    directive,
    value,
    description: words(kind),
  }))
  const rows = [...evaluation.after, ...warnings]
  if (rows.length === 0) return html`<p class="pad muted">None found by csp_evaluator.</p>`
  return html`<ul class="findings">
    ${rows.map(
      (finding) => html`<li key=${idOf(finding)}>
        <span><${Badge} word=${finding.severity} tone=${tones[finding.severity] ?? ''} /></span>
        <span><code>${finding.directive}</code>${finding.value && html` <code><${Text} text=${finding.value} /></code>`}: ${finding.description}
          ${finding.type !== undefined && isNew(finding) && html` <${Badge} word="new" title="Not in the quoted policy" />`}</span>
      </li>`,
    )}
  </ul>`
}

const idOf = ({ type, directive, value, description }: any) => [type, directive, value, description].join(' ')
