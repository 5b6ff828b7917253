import { useApp } from '../../app-context.ts'
import { Card } from '../../components/card.ts'
import { Copy } from '../../components/copy.ts'
import { counted, number } from '../../components/format.ts'
import { Text, visible } from '../../components/value.ts'
import { html } from '../../html.ts'
import type { Read } from '../../use-read.ts'
import { around, type Form, forms, toForm } from './header-forms.ts'
import type { ShownDirective } from './policy-text.ts'
import { toText, unprintable } from './policy-text.ts'

/** The resulting policy with marked additions, as a header or for a web server. */
export function TextCard({ read, directives }: { read: Read; directives: ShownDirective[] }) {
  const { state, go } = useApp()
  const form = Object.hasOwn(forms, state.own.form ?? '') ? (state.own.form as Form) : 'Header'
  const policy = read.body?.data.policy
  const text = toText(directives)
  const copied = () => toForm(form, policy.disposition, text)
  const pick = ({ target }: any) => go({ own: { ...state.own, form: target.value } }, { replace: true })
  const tools = html`<select aria-label="Form of the policy" value=${form} onChange=${pick} data-key="form">
      ${Object.keys(forms).map((name) => html`<option key=${name} value=${name}>${name}</option>`)}
    </select>
    ${policy && !policy.truncated && html`<${Copy} class="primary" label="Copy" what=${`the policy, ${form}`} text=${copied} />`}`
  return html`<${Card} id="policy-text" title="Policy" tools=${tools} read=${read} rows=${5}>
    ${() => policy && html`<${Body} policy=${policy} form=${form} directives=${directives} text=${text} />`}
  <//>`
}

function Body({
  policy,
  form,
  directives,
  text,
}: {
  policy: any
  form: Form
  directives: ShownDirective[]
  text: string
}) {
  const { start, end } = around(form, policy.disposition)
  const { encode } = forms[form]
  const additions = directives.reduce((sum, { values }) => sum + values.filter(({ isAdded }) => isAdded).length, 0)
  const dropped = unprintable(directives)
  const shown = directives.filter(({ name }) => !dropped.includes(name))
  return html`<div class="pad">
    <pre class=${form === 'Header' ? 'lines' : ''} tabindex="0" aria-label="Text of the policy">${start}${shown.map(
      ({ name, isNew, values }, at) =>
        html`<span key=${name}>${isNew ? html`<ins>${name}</ins>` : name}${values
          .filter(({ text }) => !dropped.includes(text))
          .map(
            ({ text, isAdded }, index) =>
              html` ${isAdded ? html`<ins key=${index}><${Text} text=${encode(text)} /></ins>` : html`<${Text} key=${index} text=${encode(text)} />`}`,
          )}${at < shown.length - 1 ? '; ' : ''}</span>`,
    )}${end}</pre>
    <p class="muted">${counted(additions, 'addition')}, marked; ${number(new TextEncoder().encode(text).length)} bytes.
      ${policy.disposition === 'report' ? ' Reported, not enforced.' : ' Enforced.'}
      ${text.includes("'nonce-*'") && html` Replace <code>'nonce-*'</code> with the nonce of each response.`}</p>
    ${policy.truncated && html`<p class="bad">The quoted policy is longer than the API returns: the text above is truncated.</p>`}
    ${dropped.length > 0 && html`<p class="bad">Omitted, because a header cannot contain these characters: <code>${dropped.map(visible).join(' ')}</code></p>`}
  </div>`
}
