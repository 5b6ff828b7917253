import type { ReportTypeRow } from '../report-type.ts'
import { permissionsPolicyViolation } from './permissions-policy-violation.ts'

export const documentPolicyViolation = permissionsPolicyViolation satisfies ReportTypeRow
