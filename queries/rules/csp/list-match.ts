import type { CspVerdictReason } from '../../../schema/csp-verdicts.ts'

/** A matching expression, what is unknown, or no match. `detail`: only the request's detail decides, which was not read. */
export type ListMatch = { readonly by: string } | { readonly unknown: CspVerdictReason | 'detail' } | undefined
