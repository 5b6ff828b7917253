/**
 * @module Rubric 1002: 100 points minus the weaknesses of a page's headers. A change of the table needs another
 * version, because grades of two versions are not compared. Penalties follow MDN HTTP Observatory, CSP Level 3 and
 * securityheaders.com.
 */

import { parseDictionary } from 'structured-headers'
import { type ScanGrade, scanGrades } from '../../../schema/enumerations.ts'
import { governingList, type ParsedPolicy, parsePolicies } from '../../../schema/rules/csp/governing-directive.ts'
import { allowsAllInline } from '../../../schema/rules/csp/match-inline.ts'
import type { SourceList } from '../../../schema/rules/csp/source-list.ts'
import { type Hop, joinedHeader, linesOf } from '../fetch/hop.ts'
import { isFeature } from './browser-features.ts'
import { noMarkup, type PageMarkup } from './page-markup.ts'

export const rubricVersion = 1002

interface GradedPage extends Pick<PageMarkup, 'scripts'> {
  readonly hop: Hop
  readonly enforced: readonly ParsedPolicy[]
  readonly reportOnly: readonly ParsedPolicy[]
}

const csp = 'content-security-policy'
const [hsts, xfo, nosniff] = ['strict-transport-security', 'x-frame-options', 'x-content-type-options'] as const
const [referrer, permissions] = ['referrer-policy', 'permissions-policy'] as const
const sendHsts = 'Send Strict-Transport-Security: max-age=31536000; includeSubDomains'
const sendReferrer = 'Send Referrer-Policy: strict-origin-when-cross-origin'

const rubric = {
  noPolicy: [csp, 30, 'No Content-Security-Policy', 'Send a Content-Security-Policy'],
  reportOnly: [csp, 25, 'The policy is report-only', 'Enforce the policy: send Content-Security-Policy'],
  anyScript: [csp, 20, 'Scripts load from anywhere', "Name hosts of scripts, or use nonces with 'strict-dynamic'"],
  inline: [csp, 20, "Inline scripts run: 'unsafe-inline'", "Replace 'unsafe-inline' by nonces or hashes"],
  eval: [csp, 10, "Strings run as code: 'unsafe-eval'", "Remove 'unsafe-eval'"],
  objects: [csp, 5, "object-src is not 'none'", "Send object-src 'none'"],
  base: [csp, 5, 'No base-uri', "Send base-uri 'none'"],
  http: ['https', 40, 'The page ends on http', 'Redirect http to https'],
  httpScript: ['https', 20, 'A script is loaded over http', 'Load every script over https'],
  noHsts: [hsts, 20, 'No Strict-Transport-Security', sendHsts],
  shortHsts: [hsts, 10, 'Strict-Transport-Security ends within 182.5 days', sendHsts],
  framed: [xfo, 20, 'Any page can frame this one', "Send frame-ancestors 'self' in Content-Security-Policy"],
  sniffed: [nosniff, 5, 'Not nosniff', 'Send X-Content-Type-Options: nosniff'],
  noReferrer: [referrer, 5, 'No Referrer-Policy', sendReferrer],
  weakReferrer: [referrer, 10, 'Referrer-Policy sends more than strict-origin-when-cross-origin', sendReferrer],
  permissions: [
    permissions,
    5,
    'No Permissions-Policy that restricts a feature',
    'Send a Permissions-Policy that switches features off',
  ],
} as const satisfies Record<string, readonly [header: string, points: number, finding: string, advice: string]>

type Weakness = keyof typeof rubric

/** A browser applies every policy, so a weakness counts only if all of them have it. */
const inEveryPolicy =
  (has: (policy: ParsedPolicy) => boolean) =>
  ({ enforced }: GradedPage) =>
    enforced.length > 0 && enforced.every(has)

const weaknesses: Readonly<Record<Weakness, (page: GradedPage) => boolean>> = {
  noPolicy: ({ enforced, reportOnly }) => enforced.length === 0 && reportOnly.length === 0,
  reportOnly: ({ enforced, reportOnly }) => enforced.length === 0 && reportOnly.length > 0,
  anyScript: inEveryPolicy((policy) => takesAnyScript(governingList(policy, 'script-src-elem')?.list)),
  inline: (page) => runsInline('script-src-elem')(page) || runsInline('script-src-attr')(page),
  eval: inEveryPolicy((policy) => governingList(policy, 'script-src')?.list.keywords.has("'unsafe-eval'") ?? true),
  objects: inEveryPolicy((policy) => !governingList(policy, 'object-src')?.list.isNone),
  base: inEveryPolicy((policy) => !policy.has('base-uri')),
  http: ({ hop }) => !isEncrypted(hop),
  httpScript: ({ hop, scripts, enforced }) =>
    hop.url.protocol === 'https:' &&
    scripts.some(({ url }) => url && !isEncrypted({ url })) &&
    !enforced.some((policy) => policy.has('upgrade-insecure-requests')),
  noHsts: ({ hop }) => hstsDays(hop) === 0,
  shortHsts: ({ hop }) => hstsDays(hop) > 0 && hstsDays(hop) < 182.5,
  // With frame-ancestors, X-Frame-Options has no effect (CSP3, 6.4.2.2).
  framed: ({ enforced, hop }) =>
    enforced.some((policy) => policy.has('frame-ancestors')) ? !enforced.some(limitsFraming) : !blocksFrames(hop),
  sniffed: ({ hop }) => !/^[\t\n\r ]*nosniff[\t\n\r ]*(,|$)/i.test(joinedHeader(hop, nosniff) ?? ''),
  noReferrer: ({ hop }) => referrerPolicy(hop) === undefined,
  weakReferrer: ({ hop }) => weakReferrerPolicies.includes(referrerPolicy(hop) ?? ''),
  permissions: ({ hop }) => !restrictsFeatures(hop),
}

const isAnywhere = (list: SourceList, schemes = /^(https?|data)$/): boolean =>
  list.urls.some(
    (source) =>
      source.kind === 'any' ||
      (source.kind === 'host' && source.host === '*') ||
      (source.kind === 'scheme' && schemes.test(source.scheme)),
  )

function takesAnyScript(list: SourceList | undefined): boolean {
  if (!list) return true
  const isExact = list.hasNonce || list.hasOtherHash || list.hashes.length > 0
  return isAnywhere(list) && !(isExact && list.keywords.has("'strict-dynamic'"))
}

const runsInline = (directive: string) =>
  inEveryPolicy((policy) => {
    const list = governingList(policy, directive)?.list
    return !list || allowsAllInline(list, directive)
  })

function limitsFraming(policy: ParsedPolicy): boolean {
  const list = policy.get('frame-ancestors')
  return list !== undefined && !isAnywhere(list, /^https?$/)
}

/** Over https, or on this machine. */
const isEncrypted = ({ url: { protocol, hostname } }: Pick<Hop, 'url'>) =>
  protocol === 'https:' || /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname)

/** HTTP white space (Fetch, 2.2.2). */
const stripped = (value: string): string => value.replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, '')

/** Only the first line counts; not over http (RFC 6797, 8.1), nor with a repeated directive (6.1). */
function hstsDays(hop: Hop): number {
  const [line = ''] = isEncrypted(hop) ? linesOf(hop, hsts) : []
  const directives = line.toLowerCase().split(';').map(stripped)
  const ages = directives.filter((directive) => /^max-age[\t ]*=/.test(directive))
  const domains = directives.filter((directive) => /^includesubdomains\b/.test(directive))
  if (ages.length > 1 || domains.length > 1) return 0
  return Number(/=[\t ]*("?)(\d+)\1$/.exec(ages[0] ?? '')?.[2] ?? 0) / (24 * 3600)
}

const valuesOf = (hop: Hop, header: string): string[] =>
  linesOf(hop, header).flatMap((line) => line.split(',').flatMap((value) => stripped(value).toLowerCase() || []))

/** HTML, 7.4.2.2: if there are several values, any known value blocks every frame. */
function blocksFrames(hop: Hop): boolean {
  const values = new Set(valuesOf(hop, xfo))
  const known = ['deny', 'sameorigin', 'allowall'].filter((value) => values.has(value))
  return values.size > 1 ? known.length > 0 : known.length > 0 && !values.has('allowall')
}

/** A header that cannot be parsed as a whole counts as absent (Permissions Policy, 5.2). */
function restrictsFeatures(hop: Hop): boolean {
  try {
    return [...parseDictionary(joinedHeader(hop, permissions) ?? '')].some(([name, [value]]) => {
      const items = Array.isArray(value) ? value.map(([item]) => item) : [value]
      return isFeature(name) && !items.some((item) => String(item) === '*')
    })
  } catch {
    return false
  }
}

const weakReferrerPolicies = ['unsafe-url', 'origin', 'no-referrer-when-downgrade', 'origin-when-cross-origin']
const referrerPolicies = /^(no-referrer|same-origin|strict-origin|strict-origin-when-cross-origin)$/

/** The last value that browsers know (Referrer Policy, 8.1). */
const referrerPolicy = (hop: Hop): string | undefined =>
  valuesOf(hop, referrer).findLast((value) => referrerPolicies.test(value) || weakReferrerPolicies.includes(value))

const leastScores = { 'A+': 100, A: 90, B: 75, C: 60, D: 45, F: 0 } as const satisfies Record<ScanGrade, number>

/** Policies as browsers read them: `'nonce-*'` is not a nonce that a server sends. */
const readPolicies = (texts: readonly string[]): ParsedPolicy[] =>
  texts.flatMap((text) => parsePolicies(text.replaceAll("'nonce-*'", '')))

const policiesOf = (hop: Hop, header: string): ParsedPolicy[] => readPolicies(linesOf(hop, header))

/** HTML, 4.2.5.3: `<meta>` enforces no frame-ancestors. */
const metaPolicies = ({ policies }: Pick<PageMarkup, 'policies'>): ParsedPolicy[] =>
  readPolicies(policies).map((policy) => new Map([...policy].filter(([name]) => name !== 'frame-ancestors')))

export function gradePage(hop: Hop, markup: Pick<PageMarkup, 'scripts' | 'policies'> = noMarkup) {
  const { scripts } = markup
  const enforced = [...policiesOf(hop, csp), ...metaPolicies(markup)]
  const page = { hop, scripts, enforced, reportOnly: policiesOf(hop, `${csp}-report-only`) }
  // A policy costs no more than its absence, so that sending one never lowers a grade.
  let policyPoints: number = (page.reportOnly.length > 0 ? rubric.reportOnly : rubric.noPolicy)[1]
  const names = (Object.keys(rubric) as Weakness[]).filter((name) => weaknesses[name](page))
  const found = names.map((name) => {
    const [header, full, finding, advice] = rubric[name]
    const points = header === csp ? Math.min(full, policyPoints) : full
    if (header === csp) policyPoints -= points
    return { header, points, finding, advice }
  })
  const headers = [...new Set(Object.values(rubric).map(([header]) => header))].map((header) => {
    const own = found.filter((one) => one.header === header)
    const points = own.reduce((sum, one) => sum + one.points, 0)
    const status = points === 0 ? 'pass' : points < 20 ? 'warn' : 'fail'
    const finding = own.map((one) => one.finding).join('; ') || 'In place'
    return { header, status, points, finding, advice: own[0]?.advice ?? null }
  })
  const score = Math.max(0, 100 - headers.reduce((sum, { points }) => sum + points, 0))
  const grade = scanGrades.find((one) => score >= leastScores[one]) ?? 'F'
  const nextSteps = found
    .map(({ header, points, advice }) => ({ header, points, advice }))
    .sort((a, b) => b.points - a.points)
  const headline = `${grade}: ${nextSteps[0]?.advice ?? 'every header is in place'}`
  return { grade, score, result: { grade, score, headline, headers, nextSteps } }
}
