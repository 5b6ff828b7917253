// @ts-check
import { Badge } from '../../components/badge.js'
import { words } from '../../components/format.js'
import { html } from '../../html.js'

/** @param {{ status: string }} props */
export const StatusBadge = ({ status }) =>
  html`<${Badge} word=${status} label=${status === 'unreviewed' ? 'not reviewed' : words(status)} />`

/** Browsers' reports are claims, which anyone can send. @param {{ scanPresence: any, hashes: any[], activity: any }} script */
export const SeenBy = ({ scanPresence, hashes, activity }) => {
  const isReported = activity !== null || hashes.some(({ sources }) => sources.includes('report'))
  if (!scanPresence && isReported) return 'browsers only'
  return [scanPresence && 'scan', isReported && 'browsers'].filter(Boolean).join(', ') || '–'
}

/** Tone of a severity of an advisory. */
const tones = { critical: 'bad', high: 'bad', medium: 'warn', low: '' }

/** @param {{ state: string, severity: string | null }} props */
export const AdvisoryBadge = ({ state, severity }) =>
  state === 'affected'
    ? html`<${Badge} word=${state} tone=${tones[severity ?? ''] ?? 'warn'} label=${severity ? `${severity} severity` : state} />`
    : html`<span class="muted">${words(state)}</span>`
