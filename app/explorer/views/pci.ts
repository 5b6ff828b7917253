import { useApp } from '../app-context.ts'
import { Badge } from '../components/badge.ts'
import { Card } from '../components/card.ts'
import { words } from '../components/format.ts'
import { Link } from '../components/link.ts'
import { Text } from '../components/value.ts'
import { html, useEffect } from '../html.ts'
import { request } from '../requests.ts'
import type { Read } from '../use-read.ts'
import { useRead } from '../use-read.ts'
import { EvidenceCards } from './pci/evidence-cards.ts'
import { readinessOf } from './pci/readiness-of.ts'
import { AsOfMenu, ReportMenu, reportPath } from './pci/report-menus.ts'
import { setRunningHead } from './pci/running-head.ts'
import type { Sentence } from './pci/sentences.ts'
import { utc, verdictsOf } from './pci/sentences.ts'

const toneOf: Readonly<Record<string, string>> = { met: 'good', partial: 'warn', not_met: 'bad' }

export function View() {
  const { state } = useApp()
  const { asOf } = state.own
  const read = useRead(request(state, asOf ? reportPath : '/v1/compliance/pci-dss', { asOf }))
  // After a failure, the error replaces the verdict of another time or site.
  const hasFailed = read.error !== undefined && (read.error.status >= 400 || !read.isOfTarget)
  const body = hasFailed ? undefined : read.body?.data
  const hash = body?.evidenceHash
  const data = hash ? readinessOf(body) : body
  const head = data ? `PCI DSS 4.0: payment pages of ${data.siteName}, as of ${utc(data.generatedAt)}` : ''
  useEffect(() => setRunningHead(head), [head])
  return html`<div class="title line-of">
      <h1>PCI DSS 4.0: payment pages</h1>
      ${data && html`<p class="muted"><${Text} text=${data.siteName} /> · as of ${utc(data.generatedAt)}${hash && html` · <code title=${hash}>sha256 ${hash.slice(0, 4)}…${hash.slice(-4)}</code>`} <small class="paper-only">site ${data.siteId}</small></p>`}
      <div class="tools end">
        <${AsOfMenu} />
        <${ReportMenu} />
        <button type="button" class="primary" onClick=${() => window.print()}>Print</button>
      </div>
    </div>
    ${data ? html`<${Verdicts} data=${data} read=${read} />` : html`<${Card} id="requirements" title="Requirements" read=${{ ...read, body: undefined }} rows=${6} />`}
    ${hasFailed && asOf && html`<p><${Link} changes=${{ own: {} }}>Show the current state<//></p>`}
    ${body?.limits?.map((limit: any) => html`<p key=${limit} class="muted"><${Text} text=${limit} /></p>`)}
    ${data && html`<${EvidenceCards} data=${data} read=${read} />`}`
}

function Verdicts({ data, read }: { data: any; read: Read }) {
  const verdicts = verdictsOf(data)
  const { current, requiredFor } = data.plan
  const needed = Object.entries(requiredFor).filter(([, plan]) => plan !== null)
  return html`<div class="panels">
      ${data.requirements.map(
        (
          { id, status }: any,
          at: number,
        ) => html`<${Card} key=${id} id=${`requirement-${at + 1}`} title=${`${id} ${verdicts[at]?.title}`} read=${read}
          tools=${html`<${Badge} word=${status} tone=${toneOf[status] ?? ''} />`}>
          <ul class="sentences">${verdicts[at]?.sentences.map((sentence) => html`<${Line} key=${sentence.text} ...${sentence} />`)}</ul>
        <//>`,
      )}
    </div>
    <p class="muted">Plan <${Text} text=${current} />${needed.map(([name, plan]) => html`; ${words(name)} from plan <${Text} key=${name} text=${plan} />`)}.
      ${data.evidence.window && html` Scripts cover ${utc(data.evidence.window.from)} to ${utc(data.evidence.window.to)}, changes the last 30 days.`}</p>`
}

const Line = ({ tone, text, close, changes }: Sentence) =>
  html`<li>
    <span><${Badge} word=${tone} /></span>
    <div><p><${Text} text=${text} /></p>
      ${close && html`<p class="muted"><${Text} text=${close} />${changes && html` <${Link} changes=${changes}>Show<//>`}</p>`}</div>
  </li>`
