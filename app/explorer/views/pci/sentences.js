// @ts-check
/** @module Sentences of a PCI DSS verdict: sums, and how to close each gap. */

import { counted, number, words } from '../../components/format.js'

/** @typedef {{ tone: 'gap' | 'met' | 'fact', text: string, close?: string, changes?: object }} Sentence `changes`: the view that helps */

/**
 * `7 authorized + 11 not reviewed = 18`; the sum itself if the parts do not add up to it.
 * @param {[number, string][]} parts
 * @param {number} sum
 */
function sumText(parts, sum) {
  const added = parts.reduce((before, [count]) => before + count, 0)
  const terms = parts.map(([count, word]) => `${number(count)} ${word}`).join(' + ')
  return added === sum ? `${terms} = ${number(sum)}` : `${terms}, of ${number(sum)}`
}

/** @param {any} data body of `/v1/compliance/pci-dss` @returns {Sentence[][]} of each requirement, the gaps first */
export function sentencesOf(data) {
  return data.requirements.map((requirement) => {
    const gaps = requirement.gaps.map((gap) => gapSentence(gap, requirement.facts, data))
    const facts = requirement.id === '6.4.3' ? scriptFacts(requirement, data) : changeFacts(requirement, data)
    return [...gaps, ...facts]
  })
}

/** @returns {Sentence} */
function gapSentence({ kind, count, eventType }, facts, { plan }) {
  const needs = (name) => (plan.requiredFor[name] ? ` The plan ${plan.requiredFor[name]} includes it.` : '')
  const unreviewed = { view: 'scripts', own: { status: 'unreviewed', pageScope: 'payment' } }
  const loads = facts.integrity && facts.integrity.protected + facts.integrity.unprotected + facts.integrity.unknown
  const sentence = {
    no_payment_pages: [
      'No page is monitored as a payment page.',
      `Add each page with a payment form: “pages add --kind payment”.${needs('paymentPages')}`,
    ],
    scripts_not_on_plan: [
      'The plan does not include a script inventory.',
      `Scripts of payment pages require it.${needs('paymentPages')}${needs('decisions')}`,
    ],
    inventory_truncated: [
      'The site has more scripts than the list can show.',
      'Decide on the listed scripts: first scripts with a decision or in a scan, then the scripts that browsers reported earliest.',
    ],
    no_scripts_seen: [
      'No script was reported from payment pages.',
      'Send the site’s headers with payment pages, so that browsers report their scripts.',
    ],
    unreviewed_scripts: [
      `${number(count)} of ${counted(facts.scripts, 'script')} on payment pages are not reviewed.`,
      'Decide on each: authorize it with a justification, or reject it.',
      unreviewed,
    ],
    rejected_scripts_running: [
      `${counted(count, 'rejected script')} still ran on a payment page.`,
      'Remove it from the page, or block it with the content security policy.',
      { view: 'scripts', own: { status: 'rejected', pageScope: 'payment' } },
    ],
    unprotected_scripts: [
      `${number(count)} of ${counted(loads, 'script')} load without integrity.`,
      'Add integrity attributes or policy hashes, then enforce Integrity-Policy.',
      { view: 'scripts', own: { pageScope: 'payment' } },
    ],
    integrity_unmeasured: [
      `The integrity of ${counted(count, 'script')} is not measured.`,
      'Send Integrity-Policy-Report-Only: blocked-destinations=(script) with payment pages.',
    ],
    no_recent_scan: [
      `${number(count)} of ${counted(facts.paymentPages, 'payment page')} had no complete scan within 7 days.`,
      `See the failed scans in Pages.${needs('scans')}`,
      { view: 'pages', own: {} },
    ],
    no_rule: [`No alert rule covers ${eventType}.`, 'Add an immediate alert rule for it.'],
  }[kind] ?? [`${words(kind)}${count === null ? '' : `: ${number(count)}`}`, '']
  return { tone: 'gap', text: sentence[0], close: sentence[1], changes: sentence[2] }
}

/** @returns {Sentence[]} */
function scriptFacts({ facts, gaps }, { evidence }) {
  const { scripts, authorized, unreviewed, rejected, paymentPages, integrity } = facts
  if (paymentPages === 0 || gaps.some(({ kind }) => kind === 'scripts_not_on_plan')) return []
  const has = (...kinds) => gaps.some(({ kind }) => kinds.includes(kind))
  const loads = integrity.protected + integrity.unprotected + integrity.unknown
  const decided = sumText(
    [
      [authorized, 'authorized'],
      [unreviewed, 'not reviewed'],
      [rejected, 'rejected'],
    ],
    scripts,
  )
  const covered = sumText(
    [
      [integrity.protected, 'protected'],
      [integrity.unprotected, 'unprotected'],
      [integrity.unknown, 'unknown'],
    ],
    loads,
  )
  const uninventoried = evidence.uninventoriedUnprotected
  const listed =
    uninventoried > 0
      ? ` ${sumText(
          [
            [scripts, 'in the inventory'],
            [uninventoried, 'reported but not in the inventory'],
          ],
          loads,
        )}.`
      : ''
  return [
    {
      tone: has('no_scripts_seen', 'inventory_truncated') ? 'fact' : 'met',
      text: `The inventory lists ${counted(scripts, 'script')} on ${counted(paymentPages, 'payment page')}.`,
      close: `${decided}.`,
    },
    {
      tone: has('unprotected_scripts', 'integrity_unmeasured') ? 'fact' : 'met',
      text: `${counted(loads, 'script')} load on payment pages.${listed}`,
      close: `${covered}. ${integrity.measured ? 'Browsers report the integrity of scripts.' : 'No browser reported the integrity of a script.'}`,
    },
  ]
}

/** @returns {Sentence[]} */
function changeFacts({ facts, gaps }, { evidence }) {
  const { paymentPages, watched, changes, alerted } = facts
  if (paymentPages === 0) return []
  const has = (kind) => gaps.some((gap) => gap.kind === kind)
  const latest = evidence.pages
    .map(({ lastScanAt }) => lastScanAt)
    .filter(Boolean)
    .sort()
    .at(-1)
  const isAlerted = alerted === changes
  return [
    {
      tone: has('no_recent_scan') ? 'fact' : 'met',
      text: `${number(watched)} of ${counted(paymentPages, 'payment page')} watched${latest ? `, last scan ${utc(latest)}` : ''}.`,
      close: 'Watched: the last complete scan is less than 7 days old.',
    },
    {
      tone: isAlerted ? 'met' : 'fact',
      text: `${counted(changes, 'change')} in the last 30 days${changes > 0 && isAlerted ? ', each alerted within a day' : ''}.`,
      close:
        changes > 0 && !isAlerted
          ? `${sumText(
              [
                [alerted, 'alerted within a day'],
                [changes - alerted, 'not'],
              ],
              changes,
            )}.`
          : undefined,
    },
    ...(has('no_rule')
      ? []
      : [{ tone: /** @type {const} */ ('met'), text: 'Changed headers and dropped grades trigger immediate alerts.' }]),
  ]
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
 * @param {string} time any other text, for example from a link, is returned unchanged
 */
export const utc = (time) =>
  Number.isNaN(Date.parse(time)) ? time : `${format.format(Date.parse(time)).replace(',', '')} UTC`
