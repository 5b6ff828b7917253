import { watchedHeaders } from '../enumerations.ts'
import type { StoredType } from '../report-types.ts'
import type { HeaderKindName } from '../reporting-headers.ts'

interface SetupKind {
  readonly type: StoredType
  /** Headers that name the endpoint of its reports, in lower case. */
  readonly headers: readonly string[]
}

const eitherForm = (header: string) => [header, `${header}-report-only`]

const policies = eitherForm('content-security-policy')
const ofEveryPage = ['reporting-endpoints']

export const setupKinds: Readonly<Record<HeaderKindName, SetupKind>> = {
  csp: { type: 'csp-violation', headers: policies },
  scripts: { type: 'csp-hash', headers: policies },
  integrity: { type: 'integrity-violation', headers: eitherForm('integrity-policy') },
  coop: { type: 'coop', headers: eitherForm('cross-origin-opener-policy') },
  coep: { type: 'coep', headers: eitherForm('cross-origin-embedder-policy') },
  permissions: { type: 'permissions-policy-violation', headers: eitherForm('permissions-policy') },
  document: { type: 'document-policy-violation', headers: eitherForm('document-policy') },
  allowlist: { type: 'connection-allowlist', headers: eitherForm('connection-allowlist') },
  network: { type: 'network-error', headers: ['nel'] },
  crash: { type: 'crash', headers: ofEveryPage },
  deprecation: { type: 'deprecation', headers: ofEveryPage },
  intervention: { type: 'intervention', headers: ofEveryPage },
}

/** Headers that a scan records in `result.reportingHeaders`, beside the watched ones. */
export const reportingHeaderNames: readonly string[] = [
  ...new Set([...Object.values(setupKinds).flatMap(({ headers }) => headers), 'report-to']),
].filter((name) => !watchedHeaders.some((watched) => watched === name))
