/** @module Rows about scripts in a report's page. */

import type { PciReport } from '../../../schema/responses/pci-report.ts'
import { byText } from '../../../schema/rules/by-text.ts'
import { groupBy } from '../../../schema/rules/group-by.ts'
import { mergeIntervals } from '../../../schema/rules/time/merge-intervals.ts'
import { type Markup, markup, untrusted } from './markup.ts'
import { address, badge, day, days, time, words } from './report-cells.ts'

type Seen = Pick<PciReport['observed']['scripts'][number], 'firstSeenAt' | 'lastSeenAt'>

type Decided = Pick<
  PciReport['observed']['scripts'][number],
  'integrityMode' | 'justification' | 'owner' | 'reviewBy' | 'decidedBy' | 'decidedAt'
>

const seenByText = (seenBy: readonly string[]) =>
  seenBy.join() === 'browsers' ? 'browsers only' : `seen by: ${seenBy.join(', ')}`

/** Mode, reason, owner, review, person and time of a decision. */
const decisionText = ({ integrityMode, justification, owner, reviewBy, decidedBy, decidedAt }: Decided) => {
  const texts = [
    words(integrityMode ?? ''),
    justification,
    owner && `owner ${owner}`,
    reviewBy && `review by ${reviewBy}`,
    decidedBy && `${decidedBy.name ?? decidedBy.email} ${time(decidedAt)}`,
  ]
  return untrusted(texts.filter(Boolean).join(', '))
}

type Version = PciReport['evidence']['versions'][number]

/** Days of the scans that found these versions, otherwise the first and the last day. */
function seenOn(versions: readonly Version[], { firstSeenAt, lastSeenAt }: Seen): Markup {
  const found = versions.flatMap(({ intervals }) => intervals)
  const ofDays = found.map(({ from, to }) => ({ from: from.slice(0, 10), to: to.slice(0, 10) }))
  const merged = mergeIntervals(ofDays.sort((a, b) => byText(a.from, b.from)))
  if (merged.length === 0) return days(firstSeenAt, lastSeenAt)
  return markup`${merged.map(({ from, to }, index) => markup`${index > 0 ? ', ' : ''}${from === to ? day(from) : days(from, to)}`)}`
}

export function scriptRows({ evidence, observed }: PciReport) {
  const versionsOf = groupBy(evidence.versions, ({ url }) => url)
  return observed.scripts.map(({ url, status, coverage, stillRunning, paymentPages, hashes, seenBy, ...script }) => [
    markup`${address(url)} ${seenOn(versionsOf.get(url) ?? [], script)}<br><span class="muted">${seenByText(seenBy)}</span><ul class="mono">${hashes.map(
      ({ hash, pinned, ...seen }) =>
        markup`<li><bdi>${hash || 'unhashed'}</bdi> ${seenOn(
          (versionsOf.get(url) ?? []).filter((one) => (one.hash ?? '') === hash),
          seen,
        )}${pinned ? ' pinned' : ''}</li>`,
    )}</ul>`,
    markup`${badge(status)}${stillRunning ? ' still runs' : ''}<br>${decisionText(script)}`,
    markup`${badge(coverage.state)}${coverage.decidedBy && markup` <span class="muted">by ${coverage.decidedBy}</span>`}<br><span class="muted">method: ${script.method}</span>`,
    paymentPages.length > 1 && paymentPages.length === evidence.pages.length
      ? `all ${paymentPages.length}`
      : untrusted(paymentPages.map(({ label }) => label).join(', ')),
  ])
}

export const uninventoriedRows = ({ observed }: PciReport) =>
  observed.uninventoried.map(({ url, lastAt, mode }) => [address(url), words(mode), time(lastAt)])

export const decisionRows = ({ evidence }: PciReport) =>
  evidence.decisions.map(({ url, status, recordedAt, ...decision }) => [
    address(url),
    markup`${badge(status)} ${decisionText(decision)}`,
    markup`<span class="muted">stored ${time(recordedAt)}</span>`,
  ])
