/** @module Requests of a view, with the parameters of its state that the operation accepts. */

import { dimensionsOf } from '../../schema/report-types.ts'
import { operations } from './operations.ts'
import type { Condition, State } from './state.ts'
import { ranges, typeOf } from './state.ts'

const dayMs = 86_400_000

const isoTime = (ms: any) => (ms >= 0 ? new Date(ms).toISOString() : undefined)

/** Milliseconds of `6h`. */
export function rangeMs(last: string) {
  const known = ranges[last]
  if (known !== undefined) return known
  const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: dayMs }
  return Number.parseInt(last, 10) * (units[last.at(-1) ?? ''] ?? dayMs)
}

/** The window within the days that the operation reads, with the same end. */
export function windowOf({ last, from, to }: State, path: string) {
  const maxMs = (operations[path]?.maxDays ?? 31) * dayMs
  const shortest = `${maxMs / dayMs}d`
  if (!from && !to) return { last: rangeMs(last) > maxMs ? shortest : last }
  if (!to) return Date.parse(from ?? '') < Date.now() - maxMs ? { last: shortest } : { from }
  const start = from ?? isoTime(Date.parse(to) - rangeMs(last))
  const within = isoTime(Math.max(Date.parse(start ?? ''), Date.parse(to) - maxMs))
  return { from: within ?? start, to }
}

/** True if the operation at a path accepts a parameter; newer API versions may accept more. */
export const takes = (path: string, name: string) => operations[path]?.parameters.includes(name) ?? false

/** Filters of an issue by the dimensions of CSP reports, so that filters survive a change of view. */
const issueNames: Readonly<Record<string, string>> = { directive: 'subject', blockedHost: 'targetHost' }

/** A condition as parameter of an operation, such as `blockedHost.not`. */
function parameterOf(path: string, { name, operator }: Condition) {
  const own = `${name}.${operator}`
  return takes(path, own) || !issueNames[name] ? own : `${issueNames[name]}.${operator}`
}

/** Whether a condition has a meaning for an operation with the view's type. */
export function applies(state: State, path: string, condition: Condition) {
  if (!takes(path, parameterOf(path, condition))) return false
  return !takes(path, 'groupBy') && !takes(path, 'directive') ? true : isOfType(state, condition.name)
}

const isOfType = (state: State, name: string) =>
  name === 'page' || dimensionsOf(typeOf(state)).some((own) => own === name)

/**
 * Target of an operation, such as `/v1/sites/{siteId}/scripts`, for the view's site, window, noise and filters.
 * @param path with its parameters in braces
 * @param own parameters that override the view's; undefined omits one
 */
export function request(
  state: State,
  path: string,
  own: Record<string, string | number | boolean | readonly string[] | undefined> = {},
) {
  const params = new URLSearchParams()
  const { siteId, noise } = state
  const base = {
    siteId,
    ...(takes(path, 'directive') && { reportType: typeOf(state) }),
    ...(takes(path, 'last') && windowOf(state, path)),
    ...(noise !== 'include' && { noise }),
    ...(state.timeZone && { timeZone: state.timeZone }),
    ...Object.fromEntries(
      state.conditions
        .filter((condition) => applies(state, path, condition))
        .map((condition) => [parameterOf(path, condition), condition.values]),
    ),
  }
  for (const [name, value] of Object.entries({ ...base, ...own })) {
    if (value === undefined || path.includes(`{${name}}`) || !takes(path, name)) continue
    for (const one of [value].flat()) params.append(name, String(one))
  }
  const filled = path.replace(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent(String(own[name] ?? state[name as keyof State] ?? '')),
  )
  const search = params.toString()
  return search === '' ? filled : `${filled}?${search}`
}

/** Types with reports; the rail and the strip of the overview read the same. */
export const typesTarget = (state: State) => request(state, '/v1/reports/types', { series: true })

/** Issues that are new in the window. */
export const newIssuesTarget = (state: State, limit = 3) =>
  request(state, '/v1/issues', { new: true, total: true, limit })
