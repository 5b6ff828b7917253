// @ts-check
import { Card } from '../../components/card.js'
import { number } from '../../components/format.js'
import { Text } from '../../components/value.js'
import { html } from '../../html.js'

const directivesOf = (policy) =>
  policy
    .split(';')
    .map((part) => part.trim().replace(/\s+/g, ' '))
    .filter(Boolean)

const nameOf = (directive) => directive.split(' ')[0].toLowerCase()

/** A policy without what differs from response to response: nonces and the order. @param {string} policy */
export const comparable = (policy) =>
  directivesOf(policy.replace(/'nonce-[^']*'/g, "'nonce-*'"))
    .sort()
    .join('; ')

/** The policy that most of some reports quote. @param {any[]} reports */
export function mostQuoted(reports) {
  const counts = new Map()
  for (const { policy } of reports) {
    if (policy) counts.set(comparable(policy), (counts.get(comparable(policy)) ?? 0) + 1)
  }
  const [most] = [...counts].sort(([, a], [, b]) => b - a)
  return most && { policy: most[0], count: most[1] }
}

/** Directives that a missing one falls back to, the nearest first. @param {string} directive */
function fallbacks(directive) {
  const kind = directive.split('-src')[0]
  return [
    directive,
    ...(/-(elem|attr)$/.test(directive) ? [`${kind}-src`] : []),
    ...(kind === 'worker' ? ['child-src', 'script-src'] : []),
    ...(kind === 'frame' ? ['child-src'] : []),
    'default-src',
  ]
}

/** @param {{ reports: any[], directive: string }} props `directive`: that blocked */
export function BlockingPolicy({ reports, directive }) {
  const most = mostQuoted(reports)
  if (!most) return null
  const parts = directivesOf(most.policy)
  const governing = fallbacks(directive).find((name) => parts.some((part) => nameOf(part) === name))
  const note = `quoted by ${number(most.count)} of the newest ${number(reports.length)} reports`
  return html`<${Card} id="policy" title="Policy that blocked it" note=${note}>
    <p class="policy"><code>${parts.map((part, at) => {
      const text = html`<${Text} text=${part} />`
      return html`${nameOf(part) === governing ? html`<mark>${text}</mark>` : text}${at < parts.length - 1 && '; '}`
    })}</code></p>
  <//>`
}
