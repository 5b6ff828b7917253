/** @module The view in the URL's query, by the API's own parameter names, so that it can be sent to a colleague. */

import { rankingDimensions } from '../../schema/dimensions.ts'
import type { ReportType } from '../../schema/report-types.ts'
import * as schema from '../../schema/report-types.ts'
import { operations } from './operations.ts'
import { views } from './views.ts'

export type Operator = 'any' | 'not' | 'contains'
export type Condition = { name: string; operator: Operator; values: string[] }
export interface State {
  view: string
  /** All sites without */
  siteId?: string | undefined
  reportType?: ReportType | undefined
  /** Unless there is `from` or `to` */
  last: string
  from?: string | undefined
  to?: string | undefined
  groupBy?: string | undefined
  /** UTC without */
  timeZone?: string | undefined
  noise: 'exclude' | 'only' | 'include'
  conditions: Condition[]
  /** Parameters of the view */
  own: Record<string, string>
}

const hourMs = 3_600_000

/** Milliseconds back from now. */
export const ranges: Readonly<Record<string, number>> = {
  '1h': hourMs,
  '24h': 24 * hourMs,
  '7d': 168 * hourMs,
  '31d': 744 * hourMs,
}

const operators: Operator[] = ['any', 'not', 'contains']

const baseNames = ['siteId', 'reportType', 'last', 'from', 'to', 'groupBy', 'timeZone', 'noise'] as const

/** Filters of any operation, except for the site, which has a separate picker. */
export const filterNames = [
  ...new Set(
    Object.values(operations)
      .flatMap(({ parameters }) => parameters)
      .filter((name) => name.endsWith('.any'))
      .map((name) => name.slice(0, -'.any'.length)),
  ),
].filter((name) => name !== 'siteId')

const defaults: State = { view: 'overview', last: '7d', noise: 'exclude', conditions: [], own: {} }

/** Unknown names and values become the default; invalid times are sent to the API, which rejects them. */
export function readState(search = location.search): State {
  const params = new URLSearchParams(search)
  const oneOf = <Name extends string>(name: string, known: readonly Name[]) =>
    known.find((one) => one === params.get(name))
  const view = oneOf('view', Object.keys(views)) ?? defaults.view
  const ownNames = views[view]?.params ?? []
  const own = ownNames.flatMap((name) => (params.get(name) ? [[name, params.get(name)]] : []))
  const noise = oneOf('noise', ['exclude', 'only', 'include']) ?? defaults.noise
  return {
    view,
    siteId: params.get('siteId') || undefined,
    reportType: oneOf('reportType', schema.reportTypeNames),
    last: isRange(params.get('last')) ?? defaults.last,
    from: toIso(params.get('from')),
    to: toIso(params.get('to')),
    groupBy: oneOf('groupBy', [...filterNames, 'none']),
    timeZone: readZone(params.get('timeZone')),
    noise,
    conditions: readConditions(params),
    own: Object.fromEntries(own),
  }
}

/** @param text such as `6h` */
const isRange = (text: string | null) => (text && /^[1-9]\d{0,3}[mhd]$/.test(text) ? text : undefined)

function toIso(text: string | null) {
  const ms = Date.parse(text ?? '')
  return ms >= 0 ? new Date(ms).toISOString() : text || undefined
}

function readZone(name: string | null) {
  try {
    return name && name !== 'UTC'
      ? new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
      : undefined
  } catch {
    return undefined
  }
}

function readConditions(params: URLSearchParams): Condition[] {
  return filterNames.flatMap((name) =>
    operators.flatMap((operator) => {
      const plain = operator === 'any' ? params.getAll(name) : []
      const values = [...new Set([...plain, ...params.getAll(`${name}.${operator}`)])]
      return values.length > 0 ? [{ name, operator, values }] : []
    }),
  )
}

export function urlOf(state: State) {
  const params = new URLSearchParams()
  if (state.view !== defaults.view) params.set('view', state.view)
  for (const name of baseNames) {
    const value = state[name]
    const isDefault = value === defaults[name] || (name === 'last' && (state.from || state.to))
    if (value && !isDefault) params.set(name, value)
  }
  for (const { name, operator, values } of state.conditions) {
    for (const value of values) params.append(`${name}.${operator}`, value)
  }
  for (const name of views[state.view]?.params ?? []) if (state.own[name]) params.set(name, state.own[name])
  const search = params.toString()
  return search === '' ? '/explorer' : `/explorer?${search}`
}

/** The type of an operation over one type. */
export const typeOf = (state: State) => state.reportType ?? 'csp-violation'

/** Dimensions of the view's type, the best for rankings first. */
export function dimensionsOf(state: State): string[] {
  const own = schema.dimensionsOf(typeOf(state))
  return [
    ...rankingDimensions.filter((name) => own.includes(name)),
    ...own.filter((name) => !rankingDimensions.includes(name)),
  ].filter((name) => name !== 'siteId')
}

/** Conditions with one more value: `any` replaces the values, `not` adds one to the excluded values. */
export function withValue(conditions: Condition[], name: string, operator: Operator, value: string) {
  const others = conditions.filter((one) => one.name !== name || (operator === 'not' && one.operator === 'contains'))
  if (operator !== 'not') return [...others, { name, operator, values: [value] }]
  const excluded = conditions.find((one) => one.name === name && one.operator === 'not')
  const values = [...new Set([...(excluded?.values ?? []), value])]
  return [...others, { name, operator, values }]
}
