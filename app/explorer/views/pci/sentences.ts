/** @module Sentences of a PCI DSS verdict: those of its report, with the view that helps to close a gap. */

import type { PciGapKind } from '../../../../schema/pci.ts'
import { integrityTexts, requirementText } from '../../../../schema/rules/pci/report-texts.ts'

/** `changes`: the view that helps */
export type Sentence = { tone: 'gap' | 'met' | 'fact'; text: string; close?: string; changes?: object }

const paymentScripts = (own: any) => ({ view: 'scripts', own: { ...own, pageScope: 'payment' } })

const helpful: Readonly<Record<string, object>> = {
  unreviewed_scripts: paymentScripts({ status: 'unreviewed' }),
  rejected_scripts_running: paymentScripts({ status: 'rejected' }),
  unprotected_scripts: paymentScripts({}),
  unpinned_scripts: paymentScripts({ status: 'authorized' }),
  review_overdue: paymentScripts({ status: 'authorized' }),
  no_recent_scan: { view: 'pages', own: {} },
}

/**
 * @param data body of `/v1/compliance/pci-dss`
 * @returns the gaps first
 */
export const verdictsOf = ({ requirements, evidence }: any): { title: string; sentences: Sentence[] }[] =>
  requirements.map((requirement: any) => {
    const { title, summary, gaps } = requirementText(requirement)
    const sentences = gaps.map(({ kind, sentence, remedy }) => ({
      tone: 'gap',
      text: sentence,
      close: remedy,
      changes: helpful[kind],
    }))
    return { title, sentences: [...sentences, ...factsOf(requirement, summary, evidence)] }
  })

function factsOf({ facts, gaps }: any, summary: string, evidence: any): Sentence[] {
  const has = (...kinds: PciGapKind[]) => gaps.some(({ kind }: any) => kinds.includes(kind))
  const toneIf = (isMet: boolean): Sentence['tone'] => (isMet ? 'met' : 'fact')
  if (facts.paymentPages === 0 || has('scripts_not_on_plan')) return []
  if (facts.integrity) {
    const [sums, others] = integrityTexts(facts.integrity, evidence.uninventoriedUnprotected)
    return [
      { tone: toneIf(!has('no_scripts_seen', 'inventory_truncated')), text: summary },
      { tone: toneIf(!has('unprotected_scripts', 'integrity_unmeasured')), text: sums, close: others },
    ]
  }
  const rules = has('no_rule') ? [] : ['Changed headers and dropped grades trigger immediate alerts.']
  return [{ tone: toneIf(gaps.length === 0), text: summary }, ...rules.map((text) => ({ tone: toneIf(true), text }))]
}

const format = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'UTC',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})

/**
 * `26 Nov 2026 04:37 UTC`: evidence has full times in one zone.
 * @param time any other text, for example from a link, is returned unchanged
 */
export const utc = (time: string) =>
  Number.isNaN(Date.parse(time)) ? time : `${format.format(Date.parse(time)).replace(',', '')} UTC`
