import type { z } from 'zod'
import { policyText } from '../../../schema/csp-params.ts'
import { policyFault } from '../../../schema/rules/csp/policy-fault.ts'

export const candidatePolicy = (description: string) => policyText(description).superRefine(requirePolicy)

function requirePolicy(policy: string, { issues, addIssue }: z.RefinementCtx<string>): void {
  const fault = policyFault(policy)
  if (issues.length === 0 && fault !== undefined) addIssue(fault)
}
