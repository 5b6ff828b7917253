// @ts-check
import { html } from '../html.js'
import { confidenceRule } from '../served/schema.js'
import { Badge } from './badge.js'

/** What the confidence of an issue means, said once. */
export const confidenceText = `high: ${confidenceRule.manyReports} reports or more of ${confidenceRule.severalFamilies} browser families or more; suppressed: every report is noise of an extension, the browser or an injecting product`

const tones = { high: 'good', medium: '', low: '', suppressed: 'warn' }

/** @param {{ issue: { confidence: string, firstSeenEver?: string }, isShort?: boolean }} props `isShort`: below a head that has the word */
export const IssueBadges = ({ issue: { confidence, firstSeenEver }, isShort = false }) =>
  html`<${Badge} word=${confidence} tone=${tones[confidence]} title=${confidenceText}
      label=${confidence === 'suppressed' ? 'noise' : isShort ? confidence : `${confidence} confidence`} />
    ${firstSeenEver && html` <${Badge} word="new" title="First seen ever in this window" />`}`
