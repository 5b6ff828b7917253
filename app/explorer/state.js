import { rankingDimensions, reportTypes, windowDays } from '/explorer/schema.js'

/** The view, in the URL's query, so that it can be sent to a colleague. */

const hourMs = 3_600_000

/** Milliseconds back from now. */
export const ranges = { '1h': hourMs, '6h': 6 * hourMs, '24h': 24 * hourMs, '7d': 168 * hourMs, '31d': 744 * hourMs }

const defaults = { view: 'reports', range: '7d', type: 'csp-violation' }

/** Parameters that are filters; the others are the view's own. */
export const filterNames = [...new Set(Object.values(reportTypes).flat())].filter((name) => name !== 'siteId')

const ownNames = ['view', 'site', 'range', 'from', 'to', 'type', 'by', 'and']

/** A link's own names take any value: unknown ones become the default, and times that are none reach the API, which names them. */
export function readState(viewNames) {
  const params = new URLSearchParams(location.search)
  const state = { ...defaults, filters: {} }
  for (const [name, value] of params) {
    if (ownNames.includes(name)) state[name] = value
    else if (filterNames.includes(name)) state.filters[name] = value
  }
  const known = { view: viewNames, type: Object.keys(reportTypes), range: Object.keys(ranges) }
  for (const [name, values] of Object.entries(known)) if (!values.includes(state[name])) state[name] = defaults[name]
  for (const end of ['from', 'to']) state[end] = state[end] && (isoTime(Date.parse(state[end])) ?? state[end])
  state.filters = filtersOf(state.type, state.filters)
  const dimensions = reportTypes[state.type]
  const [first, second] = rankingDimensions.filter((name) => dimensions.includes(name))
  if (!dimensions.includes(state.by)) state.by = first
  if (!dimensions.includes(state.and)) state.and = second
  return state
}

/** Undefined for what is no time since 1970. */
const isoTime = (ms) => (ms >= 0 ? new Date(ms).toISOString() : undefined)

/** The filters that the type has. */
const filtersOf = (type, filters) =>
  Object.fromEntries(Object.entries(filters).filter(([name]) => reportTypes[type].includes(name)))

export function urlOf(state) {
  const params = new URLSearchParams()
  for (const name of ownNames) {
    const value = state[name]
    if (value !== undefined && value !== '' && value !== defaults[name]) params.set(name, value)
  }
  for (const [name, value] of Object.entries(state.filters)) params.set(name, value)
  const search = params.toString()
  return search === '' ? '/explorer' : `/explorer?${search}`
}

/** The window as parameters; a range ends with the next whole 10 s, so that all who poll it send one request. */
export const windowOf = ({ range, from, to }) =>
  from || to ? { from: from || isoTime(Date.parse(to) - ranges[range]), to } : { last: range }

/** The window within the days that the operation of a path reads, with the same end. */
export function windowWithin(state, path) {
  const { last, from, to } = windowOf(state)
  const maxDays = windowDays[path]
  const maxMs = maxDays * 24 * hourMs
  if (last) return { last: ranges[last] > maxMs ? `${maxDays}d` : last }
  if (!to) return Date.parse(from) < Date.now() - maxMs ? { last: `${maxDays}d` } : { from }
  const start = isoTime(Math.max(Date.parse(from), Date.parse(to) - maxMs))
  return { from: start ?? from, to }
}
