import { parseUrl } from '../parse-url.ts'
import type { StoredType } from '../report-types.ts'
import {
  defaultHeaderKinds,
  type HeaderKindName,
  headerKindNames,
  headerKinds,
  reportingHeaders,
  restrictsScripts,
  type SitePolicy,
} from '../reporting-headers.ts'
import { maxHeaderLength, type SetupKind, type SetupProblem } from '../responses/site-setup.ts'
import { parsePolicy } from '../rules/csp/parse-policy.ts'
import {
  declaredEndpoints,
  namedEndpoints,
  reportToGroups,
  type SentHeaders,
  withEndpoints,
} from './report-endpoints.ts'
import { setupKinds } from './setup-kinds.ts'

interface ScannedPage {
  readonly url: string
  /** Content security policies are in comparable form, one per line. */
  readonly headers: SentHeaders
}

interface SetupInput {
  readonly token: string
  /** Absolute; a reporting URL that the page sends takes precedence. */
  readonly reportUrl: string
  /** Undefined without a scan. */
  readonly page: ScannedPage | undefined
  readonly lastReports: ReadonlyMap<StoredType, string>
}

const problemTexts: Readonly<Record<SetupProblem, (subject: string) => string>> = {
  undeclared_endpoint: (name) => `No header declares the endpoint ${name}`,
  insecure_endpoint: (name) => `Chromium ignores the endpoint ${name}: its URL is not https`,
  other_endpoint: (url) => `Reports go to ${url}, which is not a reporting URL of this site`,
  ignored_report_uri: (name) => `Chromium ignores report-uri beside report-to ${name}`,
  silent_policy: (count) => `One of ${count} policies has no report-to and no report-uri`,
}

/** `subject` is the name of the endpoint for the first two problems. */
interface Fault {
  readonly problem: SetupProblem
  readonly subject: string
}

/** Faults that a line of Reporting-Endpoints corrects. */
const isDeclaration = ({ problem }: Fault) => problem === 'undeclared_endpoint' || problem === 'insecure_endpoint'

interface Judged {
  /** False if nothing in the headers reports. */
  readonly isSent: boolean
  readonly faults: readonly Fault[]
  /** Policies to send with reporting; undefined for headers of this service alone. */
  readonly rewrites: readonly (SitePolicy | undefined)[]
}

/** Reports that also go elsewhere are no fault. */
const withoutElsewhere = (all: readonly (readonly Fault[])[]) =>
  all.flat().filter(({ problem }) => problem !== 'other_endpoint' || all.every((faults) => faults.length > 0))

/** A row per kind of report, with the lines that correct it. */
export function siteSetup({ token, reportUrl, page, lastReports }: SetupInput): SetupKind[] {
  const sent: SentHeaders = page?.headers ?? new Map()
  const isOwn = (address: string) => parseUrl(address, page?.url)?.pathname.endsWith(`/${token}`) ?? false
  const isSecure = (address: string) => parseUrl(address, page?.url)?.protocol === 'https:'
  const declared = declaredEndpoints(sent)
  const own = [...declared.values()].find((address) => isOwn(address) && isSecure(address)) ?? reportUrl

  function faultsOf(name: string, endpoints = declared): Fault[] {
    const address = endpoints.get(name)
    if (address === undefined) return [{ problem: 'undeclared_endpoint', subject: name }]
    if (!isSecure(address)) return [{ problem: 'insecure_endpoint', subject: name }]
    return isOwn(address) ? [] : [{ problem: 'other_endpoint', subject: address }]
  }

  const policies = setupKinds.csp.headers.flatMap((header) =>
    (sent.get(header)?.split('\n') ?? []).map((value) => {
      const isReportOnly = header.endsWith('-report-only')
      return { value, isReportOnly, directives: parsePolicy(value) }
    }),
  )

  function policyFaults({ directives }: (typeof policies)[number]): Fault[] {
    const [name] = directives.get('report-to') ?? []
    const uris = directives.get('report-uri') ?? []
    if (name !== undefined) {
      const faults = faultsOf(name)
      const isIgnored = faults.length > 0 && uris.some(isOwn)
      return isIgnored ? [...faults, { problem: 'ignored_report_uri', subject: name }] : faults
    }
    if (uris.length === 0) return [{ problem: 'silent_policy', subject: String(policies.length) }]
    return uris.some(isOwn) ? [] : [{ problem: 'other_endpoint', subject: uris[0] ?? '' }]
  }

  function judgePolicies(some: typeof policies, extended = some): Judged {
    const all = some.map(policyFaults)
    const isSent = all.flat().some(({ problem }) => problem !== 'silent_policy') || all.some((one) => one.length === 0)
    const faults = withoutElsewhere(all)
    const faulty = extended.filter((policy) => policyFaults(policy).some((one) => !isDeclaration(one)))
    return { isSent, faults, rewrites: isSent ? faulty : extended.length > 0 ? extended : [undefined] }
  }

  function judge(kind: HeaderKindName): Judged {
    if (kind === 'csp') return judgePolicies(policies)
    if (kind === 'scripts') {
      const hashing = policies.filter(({ value }) => /'report-sha\d+'/.test(value))
      if (hashing.length > 0) return judgePolicies(hashing)
      return judgePolicies([], policies.filter(({ value }) => restrictsScripts(value)).slice(0, 1))
    }
    const { headers } = setupKinds[kind]
    const isDefault = headers.includes('reporting-endpoints')
    const names = isDefault
      ? [...declared.keys()].filter((name) => name === 'default')
      : headers.flatMap((header) => namedEndpoints(header, sent.get(header) ?? ''))
    const endpoints = kind === 'network' ? reportToGroups(sent) : declared
    const faults = withoutElsewhere([...new Set(names)].map((name) => faultsOf(name, endpoints)))
    const isCorrected = names.length > 0 && kind !== 'network' && faults.every(isDeclaration)
    return { isSent: names.length > 0, faults, rewrites: isCorrected ? [] : [undefined] }
  }

  function linesOf(kind: HeaderKindName, { faults, rewrites }: Judged): string[] {
    const headers = rewrites
      .flatMap((policy) => reportingHeaders(own, [kind], policy))
      .filter(([name]) => name !== 'Reporting-Endpoints')
      // A line of this service is added to the page's own dictionary.
      .map(([name, value]) => {
        const before = name === 'Document-Policy' ? sent.get('document-policy') : undefined
        return `${name}: ${before ? `${before}, ${value}` : value}`
      })
    if (kind === 'network') return headers
    const isDefaultWrong = rewrites.length > 0 && faultsOf('default').length > 0
    const names = [
      ...faults.filter(isDeclaration).map(({ subject }) => subject),
      ...(isDefaultWrong ? ['default'] : []),
    ]
    const isPlain = own.startsWith('http:')
    return names.length === 0 || isPlain
      ? headers
      : [`Reporting-Endpoints: ${withEndpoints(sent, names, own)}`, ...headers]
  }

  return headerKindNames.map((kind) => {
    const { type, headers } = setupKinds[kind]
    const judged = judge(kind)
    const absent = defaultHeaderKinds.includes(kind) ? 'missing' : 'optional'
    const state = page === undefined ? 'unknown' : !judged.isSent ? absent : judged.faults.length > 0 ? 'wrong' : 'ok'
    return {
      kind,
      about: headerKinds[kind].about,
      state,
      lastReportAt: lastReports.get(type) ?? null,
      headers: headers.flatMap((name) => {
        const value = sent.get(name)
        return value === undefined ? [] : [{ name, value: value.slice(0, maxHeaderLength) }]
      }),
      problems:
        state === 'wrong'
          ? judged.faults.map(({ problem, subject }) => ({ problem, message: problemTexts[problem](subject) }))
          : [],
      lines: state === 'ok' ? [] : linesOf(kind, judged),
    }
  })
}
