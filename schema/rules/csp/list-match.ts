import type { CspVerdictReason } from '../../csp-verdicts.ts'

/**
 * A matching expression, the unknown information, or no match. `detail`: only the unread detail of the request decides.
 */
export type ListMatch = { readonly by: string } | { readonly unknown: CspVerdictReason | 'detail' } | undefined
