/** @module Response headers that make browsers report, by kind. None of them blocks anything. */

import { governingList } from './rules/csp/governing-directive.ts'
import { type DirectiveValues, parsePolicy, serialisePolicy } from './rules/csp/parse-policy.ts'
import { groupBy } from './rules/group-by.ts'

interface HeaderKind {
  /** True if a site gets it that does not choose. */
  readonly isDefault?: true
  /** Reports that arrive by it, and what they cost if there are many. */
  readonly about: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Chromium reports each use of these that the page has not allowed. */
const features = ['camera', 'display-capture', 'geolocation', 'microphone', 'payment', 'usb']

const nelMaxAgeSeconds = 30 * 86_400

/** Headers as Chromium 156 takes them; all name the endpoint `default`. */
export const headerKinds = {
  csp: { isDefault: true, about: 'loads and code that a strict policy would block' },
  scripts: { about: 'the hash of every script: one report per script and page view; sample csp-hash' },
  integrity: {
    about: 'scripts without an integrity attribute: one report per script and page view; sample integrity-violation',
    headers: { 'Integrity-Policy-Report-Only': 'blocked-destinations=(script), endpoints=(default)' },
  },
  coop: {
    isDefault: true,
    about: 'windows that share an opener across origins',
    headers: { 'Cross-Origin-Opener-Policy-Report-Only': 'same-origin; report-to="default"' },
  },
  coep: {
    about: 'resources of other origins without CORP or CORS: one report per resource and page view; sample coep',
    headers: { 'Cross-Origin-Embedder-Policy-Report-Only': 'require-corp; report-to="default"' },
  },
  permissions: {
    isDefault: true,
    about: `uses of ${features.join(', ')}`,
    headers: {
      'Permissions-Policy-Report-Only': features.map((feature) => `${feature}=();report-to=default`).join(', '),
    },
  },
  document: {
    isDefault: true,
    about: 'uses of the profiler, which is off even without a policy',
    headers: { 'Document-Policy': 'js-profiling=?0;report-to=default' },
  },
  allowlist: {
    about: 'connections to other origins: one report per connection; sample connection-allowlist',
    headers: { 'Connection-Allowlist-Report-Only': '(response-origin);report-to=default' },
  },
  network: { isDefault: true, about: 'requests that failed before or at the server' },
  crash: {
    isDefault: true,
    about: 'crashed pages; unresponsive pages also with their call stack',
    headers: { 'Document-Policy': 'include-js-call-stacks-in-crash-reports' },
  },
  deprecation: { isDefault: true, about: 'uses of features that browsers will remove' },
  intervention: { isDefault: true, about: 'requests from the page that the browser blocked' },
} as const satisfies Readonly<Record<string, HeaderKind>>

export type HeaderKindName = keyof typeof headerKinds

const rows: Readonly<Record<HeaderKindName, HeaderKind>> = headerKinds

export const headerKindNames = Object.keys(headerKinds) as HeaderKindName[]

export const defaultHeaderKinds = headerKindNames.filter((name) => rows[name].isDefault)

const strict = {
  csp: ["default-src 'self'", "object-src 'none'", "base-uri 'self'", "form-action 'self'", "frame-ancestors 'self'"],
  scripts: ["script-src 'self'"],
}

const strictPolicy = (kinds: ReadonlySet<HeaderKindName>): string =>
  (['csp', 'scripts'] as const).flatMap((kind) => (kinds.has(kind) ? strict[kind] : [])).join('; ')

export interface SitePolicy {
  readonly isReportOnly: boolean
  readonly value: string
}

export type HeaderOptions = [kinds?: readonly HeaderKindName[] | undefined, policy?: SitePolicy | undefined]

/**
 * Headers of a site's pages, names with values. Chromium sends to `http:` only by report-uri, which it ignores beside
 * report-to: over http the policy alone reports.
 * @param reportUrl absolute, or a path of the site's own host, which has https.
 * @param policy of the site, which gets what makes it report; without one a strict policy that only reports.
 */
export function reportingHeaders(
  reportUrl: string,
  ...[kinds = defaultHeaderKinds, policy]: HeaderOptions
): (readonly [name: string, value: string])[] {
  const asked = new Set(kinds)
  const isPlain = reportUrl.startsWith('http:')
  const { value, isReportOnly } = policy ?? { value: strictPolicy(asked), isReportOnly: true }
  const name = `Content-Security-Policy${isReportOnly ? '-Report-Only' : ''}`
  const csp = value === '' ? [] : ([[name, withReporting(value, reportUrl, asked.has('scripts'), isPlain)]] as const)
  if (isPlain) return [...csp]
  return [
    ['Reporting-Endpoints', `default="${reportUrl}"`],
    ...csp,
    ...joined(kinds.flatMap((kind) => Object.entries(rows[kind].headers ?? {}))),
    ...(asked.has('network') ? networkHeaders(reportUrl) : []),
  ]
}

/** One header per name: all are structured lists or dictionaries. */
const joined = (headers: readonly (readonly [name: string, value: string])[]) =>
  [...groupBy(headers, ([name]) => name)].map(([name, of]) => [name, of.map(([, value]) => value).join(', ')] as const)

const networkHeaders = (url: string) =>
  [
    ['Report-To', JSON.stringify({ group: 'default', max_age: nelMaxAgeSeconds, endpoints: [{ url }] })],
    ['NEL', JSON.stringify({ report_to: 'default', max_age: nelMaxAgeSeconds })],
  ] as const

const scriptDirective = (directives: DirectiveValues) => governingList(directives, 'script-src-elem')?.name

export const restrictsScripts = (policy: string): boolean => scriptDirective(parsePolicy(policy)) !== undefined

/** A policy that also reports here: browsers send to every report-uri, but to one report-to. */
function withReporting(policy: string, reportUrl: string, hasHashes: boolean, isPlain: boolean): string {
  const directives = new Map(parsePolicy(policy))
  const governing = scriptDirective(directives)
  const add = (name: string, ...words: string[]) =>
    directives.set(name, [...new Set([...(directives.get(name) ?? []).filter((word) => word !== "'none'"), ...words])])
  for (const name of directives.keys()) if (/^(default|script|style)-src/.test(name)) add(name, "'report-sample'")
  if (hasHashes && governing) add(governing, "'report-sha256'")
  add('report-uri', reportUrl)
  directives.delete('report-to')
  if (!isPlain) directives.set('report-to', ['default'])
  return serialisePolicy(directives)
}
