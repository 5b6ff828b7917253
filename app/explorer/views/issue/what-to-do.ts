import { Badge } from '../../components/badge.ts'
import { Card } from '../../components/card.ts'
import { number, words } from '../../components/format.ts'
import { Link } from '../../components/link.ts'
import { Text } from '../../components/value.ts'
import { html } from '../../html.ts'
import type { Read } from '../../use-read.ts'
import { views } from '../../views.ts'

const decisionTexts: Readonly<Record<string, string>> = {
  allow: 'could be allowed',
  review: 'check first',
  deny: 'never allow',
}
const decisionTones: Readonly<Record<string, string>> = { allow: 'good', review: 'warn', deny: 'bad' }

/** Texts of reasons and hints whose names do not explain enough. */
const reasonTexts: Readonly<Record<string, string>> = {
  noise: 'caused by an extension, the browser or a product that injects code',
  inline: 'inline code: move it to a file, or add a nonce or hash',
  eval: 'code from text: replace eval and new Function',
  redirect: 'the resource was reached through a redirect; reports do not contain its target',
  new_host: 'first seen less than a week ago',
  new_destination: 'a new kind of request',
  single_page: 'only one page reports it',
  single_browser: 'only one browser family reports it',
  low_confidence: 'too few reports to be sure',
  unauthorized_script: 'no script from this host is authorized',
  shared_host: 'anyone can publish on this host',
  bypass: 'this host can be used to bypass a policy',
  quoted_policy: 'another policy blocked it',
  insecure: 'it is loaded without TLS',
}

/** The advice on an issue's source. */
export function WhatToDo({ advice, source, own }: { advice: Read; source: any; own: any }) {
  return html`<${Card} id="what-to-do" title="What to do" read=${advice}>
    ${() => html`<div class="pad advice">${source ? html`<${Advised} source=${source} />` : html`<p class="muted">No advice for this window.</p>`}
      ${views.policy && html`<p><${Link} class="primary" changes=${{ view: 'policy', siteId: own.siteId, own: {} }}>Open in policy<//></p>`}
    </div>`}
  <//>`
}

function Advised({ source: { decision, reasons, expression, addTo, createdFrom, hints, reportCount, party } }: any) {
  return html`
    ${
      expression
        ? html`<p>Add <code class="addition"><${Text} text=${expression} /></code> to <code>${addTo}</code>${createdFrom && html`, copied from <code>${createdFrom}</code>`}.
          It would prevent ${number(reportCount)} reports in this window.</p>`
        : html`<p>Nothing to add to the policy: ${number(reportCount)} reports in this window.</p>`
    }
    <p><${Badge} word=${decision} tone=${decisionTones[decision]} label=${decisionTexts[decision] ?? decision} /> ${[...reasons.map((reason: string) => reasonTexts[reason] ?? words(reason)), ...(party === 'third' ? ['third party'] : [])].join('; ')}</p>
    ${hints.map(({ kind, value, sample }: any) => html`<p key=${`${kind} ${value}`}>${words(kind)}: <code><${Text} text=${value} /></code>${sample && html` of <code><${Text} text=${sample} /></code>`}</p>`)}`
}
