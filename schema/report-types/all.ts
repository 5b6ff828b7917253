import type { ReportTypeRow } from '../report-type.ts'
import { coep } from './coep.ts'
import { connectionAllowlist } from './connection-allowlist.ts'
import { coop } from './coop.ts'
import { crash } from './crash.ts'
import { cspViolation } from './csp-violation.ts'
import { deprecation } from './deprecation.ts'
import { documentPolicyViolation } from './document-policy-violation.ts'
import { integrityViolation } from './integrity-violation.ts'
import { intervention } from './intervention.ts'
import { networkError } from './network-error.ts'
import { permissionsPolicyViolation } from './permissions-policy-violation.ts'

/** The report types that operations list, count and group in the documented order. */
export const reportTypes = {
  'csp-violation': cspViolation,
  'integrity-violation': integrityViolation,
  coep,
  coop,
  'permissions-policy-violation': permissionsPolicyViolation,
  'document-policy-violation': documentPolicyViolation,
  'connection-allowlist': connectionAllowlist,
  deprecation,
  intervention,
  'network-error': networkError,
  crash,
} as const satisfies Record<string, ReportTypeRow>
