// @ts-check
import { Card } from '../../components/card.js'
import { number } from '../../components/format.js'
import { Text } from '../../components/value.js'
import { html } from '../../html.js'

/** Directives that a missing one falls back to, the nearest first. */
function fallbacks(directive) {
  const [kind] = directive.split('-src')
  return [
    directive,
    ...(/-(elem|attr)$/.test(directive) ? [`${kind}-src`] : []),
    ...(kind === 'worker' ? ['child-src', 'script-src'] : []),
    ...(kind === 'frame' ? ['child-src'] : []),
    'default-src',
  ]
}

/** The policy that most of the newest reports quote, with the directive that blocked. @param {{ reports: any[], directive: string }} props */
export function BlockingPolicy({ reports, directive }) {
  const counts = new Map()
  // A nonce is of one response: policies that differ in it are one.
  const texts = reports.map(({ policy }) => policy?.replace(/'nonce-[^']*'/g, "'nonce-…'"))
  for (const policy of texts) if (policy) counts.set(policy, (counts.get(policy) ?? 0) + 1)
  const [most] = [...counts].sort(([, a], [, b]) => b - a)
  if (!most) return null
  const [policy, count] = most
  const parts = policy
    .split(';')
    .map((part) => part.trim())
    .filter(Boolean)
  const nameOf = (part) => part.split(/\s/)[0].toLowerCase()
  const governing = fallbacks(directive).find((name) => parts.some((part) => nameOf(part) === name))
  return html`<${Card} id="policy" title="Policy that blocked it" note=${`quoted by ${number(count)} of the newest ${number(reports.length)} reports`}>
    <p class="policy"><code>${parts.map((part, at) => html`${nameOf(part) === governing ? html`<mark key=${at}><${Text} text=${part} /></mark>` : html`<${Text} key=${at} text=${part} />`}${at < parts.length - 1 ? '; ' : ''}`)}</code></p>
  <//>`
}
