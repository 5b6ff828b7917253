/** @module A report as one page of HTML: no script, no other file, and on paper A4. */

import { hash } from 'node:crypto'
import type { PciReport } from '../../../schema/responses/pci-report.ts'
import { isInTime } from '../../../schema/rules/pci/change-alerts.ts'
import { integrityTexts } from '../../../schema/rules/pci/report-texts.ts'
import { headerDifferences } from '../../../schema/rules/scans/header-differences.ts'
import { TextResponse } from '../../pipeline/text-response.ts'
import { Markup, markup, untrusted } from './markup.ts'
import { address, badge, cut, day, table, time } from './report-cells.ts'
import { type Delivery, deliveriesOf, deliveriesOfScript } from './report-deliveries.ts'
import { decisionRows, scriptRows, uninventoriedRows } from './report-scripts.ts'
import { reportStyle } from './report-style.ts'

export const htmlType = 'text/html; charset=utf-8'

type Change = PciReport['evidence']['changes'][number]

/** Characters of a name in the running head. */
const maxHead = 40

const requirementCard = ({ id, title, text, status, summary, gaps }: PciReport['requirements'][number]) =>
  markup`<section class="card"><h3><span>${id} ${title}</span> ${badge(status)}</h3><p class="muted">${text}</p>
<ul><li>${summary}</li>${gaps.map(({ sentence, remedy }) => markup`<li><p>${sentence}</p><p class="muted">${remedy}</p></li>`)}${
    gaps.length === 0 ? markup`<li>No gap.</li>` : null
  }</ul></section>`

function alertCell(change: Pick<Change, 'scannedAt' | 'alertIds'>, deliveries: readonly Delivery[]): Markup {
  return markup`${change.alertIds.length === 0 ? markup`<p>${badge('not alerted')}</p>` : null}${deliveries.map(
    ({ outcome, destination, createdAt, acknowledgements }) =>
      markup`<p>${badge(outcome)} ${untrusted(destination.name ?? destination.id)} ${time(createdAt)}</p>${acknowledgements.map(
        ({ acknowledgedBy, acknowledgedAt, note, ticket }) =>
          markup`<p>${badge(isInTime(change, { createdAt, acknowledgedAt }) ? 'acknowledged' : 'acknowledged late')} ${time(acknowledgedAt)} ${untrusted([acknowledgedBy, ticket, note].filter(Boolean).join(', '))}</p>`,
      )}`,
  )}`
}

function changeRows({ evidence }: PciReport) {
  return evidence.changes.map((change) => [
    markup`${time(change.scannedAt)}<br>${untrusted(change.pageLabel)}<br><span class="mono muted">scan ${change.scanId}</span>`,
    markup`${change.headers.map(
      (header) =>
        markup`<p>${header.header} ${header.change}</p><span class="mono">${headerDifferences(header).map((line) => markup`<bdi>${line}</bdi><br>`)}</span>`,
    )}${change.gradeDroppedFrom === null ? null : markup`<p>Grade ${change.gradeDroppedFrom} to ${change.grade}</p>`}`,
    alertCell(change, deliveriesOf(change, evidence)),
  ])
}

const scriptChangeRows = ({ evidence }: PciReport) =>
  evidence.scriptChanges.map((change) => [
    markup`${time(change.scannedAt)}<br>${untrusted(change.pageLabel)}`,
    markup`${change.change} ${address(change.url)} <bdi class="mono">${change.sample}</bdi><br><bdi class="mono">${change.hash ?? 'not read'}</bdi>`,
    alertCell(change, deliveriesOfScript(change, evidence)),
  ])

const pageRows = ({ evidence, watchedPageIds }: PciReport) =>
  evidence.pages.map(({ id, label, pattern, lastScanAt, grade, completeScans, failedScans }) => [
    untrusted(label),
    address(pattern),
    badge(watchedPageIds.includes(id) ? 'watched' : 'not watched'),
    time(lastScanAt),
    grade ?? '–',
    `${completeScans} complete, ${failedScans} failed`,
  ])

const weekRows = ({ evidence }: PciReport) =>
  evidence.scanWeeks
    .map(({ week, pages, complete, failed }) => [day(week), `${pages}`, `${complete}`, `${failed}`])
    .reverse()

const ruleRows = ({ evidence }: PciReport) =>
  evidence.rules.map(({ id, eventType, kind, destinationId, enabled }) => [
    untrusted(eventType),
    `${kind}${enabled ? '' : ', switched off'}`,
    untrusted(evidence.destinations.find((one) => one.id === destinationId)?.name ?? destinationId),
    untrusted(id),
  ])

interface Sheet {
  /** Used as the title too, which browsers without running heads print. */
  readonly head: string
  readonly style: string
  readonly policy: string
}

function page(report: PciReport, { head, style, policy }: Sheet): Markup {
  const { evidence, observed, evidenceHash, requirements } = report
  const { integrity, uninventoriedCount } = observed
  return markup`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="${policy}"><title>${head}</title>
<style>${new Markup(style)}</style></head><body>
<h1>PCI DSS 4.0.1: payment pages</h1>
<p>${untrusted(evidence.tenant.name)} · ${untrusted(evidence.site.name)} · as of ${time(evidence.asOf)} · plan ${evidence.plan.name}</p>
<p class="muted">Generated ${time(report.generatedAt)}. Site ${evidence.site.id}.</p>
<p class="mono">sha256 ${evidenceHash}</p>
<div class="cards">${requirements.map(requirementCard)}</div>
${table('Scripts of payment pages', { 'Script and its hashes, days of scans or first and last report': 52, Decision: 24, Integrity: 12, Pages: 12 }, scriptRows(report))}
<p>${integrityTexts(integrity, uninventoriedCount).join('\n')}</p>
${table('Unprotected scripts that the inventory lacks', { Script: 60, 'Reported by the policy': 20, 'Last report': 20 }, uninventoriedRows(report))}
${table('Decisions', { Script: 36, Decision: 46, Stored: 18 }, decisionRows(report))}
${table('Changes of the last 30 days', { 'When and where': 24, 'Before and after': 46, Alert: 30 }, changeRows(report))}
${table('Changes of scripts in the last 30 days', { 'When and where': 24, Script: 46, Alert: 30 }, scriptChangeRows(report))}
${table('Payment pages', { Page: 18, Pattern: 30, State: 12, 'Last complete scan': 16, Grade: 6, 'Scans in 30 days': 18 }, pageRows(report))}
${table('Alert rules', { Event: 24, Kind: 22, Destination: 24, Rule: 30 }, ruleRows(report))}
${table('Scans per week', { 'Week from': 25, 'Payment pages': 25, Complete: 25, Failed: 25 }, weekRows(report))}
<h2>Limits</h2>${report.limits.map((limit) => markup`<p>${limit}</p>`)}
<p class="muted">The hash is of the records alone: its JSON is /v1/compliance/pci-dss/report of this site and time, and
"security-reporting pci verify FILE" checks it.</p>
</body></html>
`
}

export function reportHtml(report: PciReport, fileName: string): TextResponse {
  const { tenant, site, asOf } = report.evidence
  const head = `${cut(tenant.name, maxHead)}, ${cut(site.name, maxHead)}: PCI DSS 4.0.1 as of ${time(asOf)}`
  const style = reportStyle(head, `sha256 ${report.evidenceHash}`)
  const policy = `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; base-uri 'none'; form-action 'none'`
  return new TextResponse(page(report, { head, style, policy }).html, {
    'Content-Type': htmlType,
    'Content-Disposition': `inline; filename="${fileName}"`,
    'Content-Security-Policy': `${policy}; frame-ancestors 'none'`,
    'Referrer-Policy': 'no-referrer',
  })
}
