import { confidenceRule } from '../../../schema/confidence-rule.ts'
import { html } from '../html.ts'
import { Badge } from './badge.ts'

/** Explanation of an issue's confidence. */
export const confidenceText = `high: at least ${confidenceRule.manyReports} reports from at least ${confidenceRule.severalFamilies} browser families; suppressed: all reports are noise from extensions, the browser or products that inject code`

const tones: Readonly<Record<string, string>> = { high: 'good', medium: '', low: '', suppressed: 'warn' }

/** `isShort`: below a head that has the word */
export const IssueBadges = ({
  issue: { confidence, firstSeenEver },
  isShort = false,
}: {
  issue: { confidence: string; firstSeenEver?: string }
  isShort?: boolean
}) =>
  html`<${Badge} word=${confidence} tone=${tones[confidence]} title=${confidenceText}
      label=${confidence === 'suppressed' ? 'noise' : isShort ? confidence : `${confidence} confidence`} />
    ${firstSeenEver && html` <${Badge} word="new" title="First seen in this window" />`}`
