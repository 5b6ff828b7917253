import { Badge } from '../../components/badge.ts'
import { words } from '../../components/format.ts'
import { html } from '../../html.ts'

export const StatusBadge = ({ status }: { status: string }) =>
  html`<${Badge} word=${status} label=${status === 'unreviewed' ? 'not reviewed' : words(status)} />`

/** Browsers' reports are claims, which anyone can send. */
export const SeenBy = ({ scanPresence, hashes, activity }: { scanPresence: any; hashes: any[]; activity: any }) => {
  const isReported = activity !== null || hashes.some(({ sources }) => sources.includes('report'))
  if (!scanPresence && isReported) return 'browsers only'
  return [scanPresence && 'scan', isReported && 'browsers'].filter(Boolean).join(', ') || '–'
}

/** Tone of a severity of an advisory. */
const tones: Readonly<Record<string, string>> = { critical: 'bad', high: 'bad', medium: 'warn', low: '' }

export const AdvisoryBadge = ({ state, severity }: { state: string; severity: string | null }) =>
  state === 'affected'
    ? html`<${Badge} word=${state} tone=${tones[severity ?? ''] ?? 'warn'} label=${severity ? `${severity} severity` : state} />`
    : html`<span class="muted">${words(state)}</span>`
