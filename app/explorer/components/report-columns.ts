import type { ReportType } from '../../../schema/report-types.ts'
import { dimensionsOf } from '../../../schema/report-types.ts'
import { html } from '../html.ts'
import { Badge } from './badge.ts'
import type { Column } from './table.ts'
import { Time } from './time.ts'
import { Url, Value } from './value.ts'

/** Most of a type's own dimensions in a table; the others are in the drawer. */
const mostOwn = 3

const common = ['siteId', 'documentHost', 'browserName', 'osName', 'deviceType', 'disposition', 'page']

const labels: Readonly<Record<string, string>> = {
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
 * @param same fields that are the same in every row
 */
export function reportColumns(
  reportType: ReportType,
  open: (report: any) => void,
  same: readonly string[] = [],
): Column[] {
  const dimensions = dimensionsOf(reportType)
  const names = dimensions.filter((name) => !common.includes(name)).slice(0, mostOwn)
  const own = names.filter((name) => !same.includes(name))
  const hasDisposition = dimensions.includes('disposition')
  return [
    {
      label: 'Received',
      width: '9rem',
      of: (report) =>
        html`<button type="button" class="link" data-focus data-open onClick=${() => open(report)}><${Time} time=${report.receivedAt} /></button>`,
    },
    ...own.map((name, at) => ({
      label: labels[name] ?? name,
      isPlain: name === 'directive' || name === 'blockedHost',
      width: name === 'directive' ? '10.5rem' : '24%',
      of: (report: any) =>
        html`<${Value} name=${name} value=${report[name] ?? ''} isRow=${at === own.length - 1} hasFocus=${false} />`,
    })),
    {
      label: 'Page',
      isPlain: true,
      of: ({ documentUrl }) => html`<code title=${documentUrl}><${Url} url=${documentUrl} /></code>`,
    },
    {
      label: 'Browser',
      isMinor: true,
      isPlain: true,
      width: '7rem',
      of: ({ browserName }) => html`<${Value} name="browserName" value=${browserName} />`,
    },
    ...(hasDisposition
      ? [
          {
            label: 'Disposition',
            isPlain: true,
            width: '7.5rem',
            of: ({ disposition }: any) =>
              disposition &&
              html`<${Badge} word=${disposition} label=${disposition === 'report' ? 'report only' : 'enforced'} />`,
          },
        ]
      : []),
  ]
}
