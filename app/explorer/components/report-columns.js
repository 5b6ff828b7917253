// @ts-check
import { html } from '../html.js'
import { reportTypes } from '../served/schema.js'
import { Badge } from './badge.js'
import { Time } from './time.js'
import { Text, Value } from './value.js'

/** Most of a type's own dimensions in a table; the others are in the drawer. */
const mostOwn = 3

const common = ['siteId', 'documentHost', 'browserName', 'osName', 'deviceType', 'disposition', 'page']

const labels = {
  directive: 'Directive',
  blockedHost: 'Blocked host',
  feature: 'Feature',
  sourceFile: 'Source file',
  destination: 'Destination',
  blockedOrigin: 'Blocked origin',
  blockedUrl: 'Blocked URL',
  effectivePolicy: 'Policy',
  otherOrigin: 'Other origin',
}

/**
 * Columns of a list of reports of one type.
 * @param {string} reportType @param {(report: any) => void} open
 * @returns {import('./table.js').Column[]}
 */
export function reportColumns(reportType, open) {
  const own = (reportTypes[reportType] ?? []).filter((name) => !common.includes(name)).slice(0, mostOwn)
  const hasDisposition = reportTypes[reportType]?.includes('disposition')
  return [
    {
      label: 'Received',
      width: '9.5rem',
      of: (report) =>
        html`<button type="button" class="link" data-focus data-open onClick=${() => open(report)}><${Time} time=${report.receivedAt} /></button>`,
    },
    ...own.map((name, at) => ({
      label: labels[name] ?? name,
      ...(name === 'directive' && { width: '10.5rem' }),
      of: (report) =>
        html`<${Value} name=${name} value=${report[name] ?? ''} isRow=${at === own.length - 1} hasFocus=${false} />`,
    })),
    { label: 'Page', width: '30%', of: ({ documentUrl }) => html`<code><${Text} text=${documentUrl} /></code>` },
    {
      label: 'Browser',
      isMinor: true,
      width: '7rem',
      of: ({ browserName }) => html`<${Value} name="browserName" value=${browserName} />`,
    },
    ...(hasDisposition
      ? [
          {
            label: 'Disposition',
            width: '8.5rem',
            of: ({ disposition }) =>
              disposition &&
              html`<${Badge} word=${disposition} label=${disposition === 'report' ? 'report only' : 'enforced'} />`,
          },
        ]
      : []),
  ]
}
