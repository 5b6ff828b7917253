/** @module Texts of numbers, types and trends. */

const numbers = new Intl.NumberFormat('en')

export const number = (value: number | null | undefined) =>
  value === null || value === undefined ? '–' : numbers.format(value)

/** `12 pages`, `1 page`. */
export const counted = (count: number, one: string, several: string = `${one}s`) =>
  `${number(count)} ${count === 1 ? one : several}`

/** Whether the window before can be compared with: it is not, if no row has a change. */
export const isComparable = (rows: any[]) =>
  rows.some(({ trendPercent }) => trendPercent !== null && trendPercent !== undefined)

/** ▲ 12 %, ▼ 3 %, an em dash without a change; "new" if there was nothing to compare. */
export function trend(percent: any, comparable = true) {
  if (percent === undefined || percent === 0 || (percent === null && !comparable)) return '—'
  if (percent === null) return '▲ new'
  return `${percent > 0 ? '▲' : '▼'} ${numbers.format(Math.abs(percent))} %`
}

const typeLabels: Readonly<Record<string, string>> = {
  'csp-violation': 'CSP violations',
  'integrity-violation': 'Integrity',
  deprecation: 'Deprecations',
  intervention: 'Interventions',
  'network-error': 'Network errors',
  crash: 'Crashes',
  'permissions-policy-violation': 'Permissions policy',
  'document-policy-violation': 'Document policy',
  'connection-allowlist': 'Allowlist',
  coep: 'COEP',
  coop: 'COOP',
}

export const labelOfType = (reportType: string) =>
  typeLabels[reportType] ?? reportType.replaceAll('-', ' ').replace(/^./, (first) => first.toUpperCase())

/** Words of an API's name: `not_reviewed`, `hasParts`. */
export const words = (name: string) =>
  name.replaceAll('_', ' ').replace(/([a-z])([A-Z])/g, (_, a, b) => `${a} ${b.toLowerCase()}`)

/** Share of a sum in percent, formatted for people. */
export const share = (part: number, sum: number) =>
  sum > 0 ? `${numbers.format(Math.round((part / sum) * 1000) / 10)} %` : '0 %'
