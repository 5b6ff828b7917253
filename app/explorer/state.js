// @ts-check
/** @module The view in the URL's query, by the API's own parameter names, so that it can be sent to a colleague. */

import { rankingDimensions } from '../../schema/dimensions.ts'
import * as schema from '../../schema/report-types.ts'
import { operations } from './operations.js'
import { views } from './views.js'

/** @typedef {'any' | 'not' | 'contains'} Operator */
/** @typedef {{ name: string, operator: Operator, values: string[] }} Condition */
/**
 * @typedef {object} State
 * @property {string} view
 * @property {string} [siteId] all sites without
 * @property {import('../../schema/report-types.ts').ReportType} [reportType]
 * @property {string} last unless there is `from` or `to`
 * @property {string} [from]
 * @property {string} [to]
 * @property {string} [groupBy]
 * @property {string} [timeZone] UTC without
 * @property {'exclude' | 'only' | 'include'} noise
 * @property {Condition[]} conditions
 * @property {Record<string, string>} own parameters of the view
 */

const hourMs = 3_600_000

/** Milliseconds back from now. */
export const ranges = { '1h': hourMs, '24h': 24 * hourMs, '7d': 168 * hourMs, '31d': 744 * hourMs }

/** @type {Operator[]} */
const operators = ['any', 'not', 'contains']

const baseNames = ['siteId', 'reportType', 'last', 'from', 'to', 'groupBy', 'timeZone', 'noise']

/** Filters of any operation, except for the site, which has a separate picker. */
export const filterNames = [
  ...new Set(
    Object.values(operations)
      .flatMap(({ parameters }) => parameters)
      .filter((name) => name.endsWith('.any'))
      .map((name) => name.slice(0, -'.any'.length)),
  ),
].filter((name) => name !== 'siteId')

/** @type {State} */
const defaults = { view: 'overview', last: '7d', noise: 'exclude', conditions: [], own: {} }

/**
 * Unknown names and values become the default; invalid times are sent to the API, which rejects them.
 * @returns {State}
 */
export function readState(search = location.search) {
  const params = new URLSearchParams(search)
  /** @template {string} Name @param {string} name @param {readonly Name[]} known */
  const oneOf = (name, known) => known.find((one) => one === params.get(name))
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

/** @param {string | null} text such as `6h` */
const isRange = (text) => (text && /^[1-9]\d{0,3}[mhd]$/.test(text) ? text : undefined)

/** @param {string | null} text */
function toIso(text) {
  const ms = Date.parse(text ?? '')
  return ms >= 0 ? new Date(ms).toISOString() : text || undefined
}

/** @param {string | null} name */
function readZone(name) {
  try {
    return name && name !== 'UTC'
      ? new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
      : undefined
  } catch {
    return undefined
  }
}

/** @param {URLSearchParams} params @returns {Condition[]} */
function readConditions(params) {
  return filterNames.flatMap((name) =>
    operators.flatMap((operator) => {
      const plain = operator === 'any' ? params.getAll(name) : []
      const values = [...new Set([...plain, ...params.getAll(`${name}.${operator}`)])]
      return values.length > 0 ? [{ name, operator, values }] : []
    }),
  )
}

/** @param {State} state */
export function urlOf(state) {
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

/** The type of an operation over one type. @param {State} state */
export const typeOf = (state) => state.reportType ?? 'csp-violation'

/** Dimensions of the view's type, the best for rankings first. @param {State} state @returns {string[]} */
export function dimensionsOf(state) {
  const own = schema.dimensionsOf(typeOf(state))
  return [
    ...rankingDimensions.filter((name) => own.includes(name)),
    ...own.filter((name) => !rankingDimensions.includes(name)),
  ].filter((name) => name !== 'siteId')
}

/**
 * Conditions with one more value: `any` replaces the values (only), `not` adds to the excluded ones.
 * @param {Condition[]} conditions
 * @param {string} name
 * @param {Operator} operator
 * @param {string} value
 */
export function withValue(conditions, name, operator, value) {
  const others = conditions.filter((one) => one.name !== name || (operator === 'not' && one.operator === 'contains'))
  if (operator !== 'not') return [...others, { name, operator, values: [value] }]
  const excluded = conditions.find((one) => one.name === name && one.operator === 'not')
  const values = [...new Set([...(excluded?.values ?? []), value])]
  return [...others, { name, operator, values }]
}
