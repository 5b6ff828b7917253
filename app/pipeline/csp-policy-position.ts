import { z } from 'zod'
import { dateTimeText } from '../../schema/replies/common.ts'
import { type CspPolicy, cspPolicy } from '../../schema/replies/csp-policy.ts'

/** Where a page of CSP policies left off. */
export type CspPolicyPosition = Pick<CspPolicy, 'lastSeen' | 'id'>

/** A policy's sort key as a cursor carries it: when it was last quoted, then its id. */
export const cspPolicyPosition: z.ZodType<CspPolicyPosition> = z.object({
  lastSeen: dateTimeText,
  id: cspPolicy.shape.id,
})

export const positionOfCspPolicy = ({ lastSeen, id }: CspPolicy): CspPolicyPosition => ({ lastSeen, id })
