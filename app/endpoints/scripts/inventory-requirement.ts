import { findAnyDecision } from '../../../queries/scripts/decisions.ts'
import type { Exemption, Requirement } from '../../pipeline/endpoint.ts'

/** Rule 6. */
export const decisionExemption: Exemption = {
  description: 'the tenant has a recorded decision about a script',
  query: findAnyDecision,
}

export const inventoryRequirement: Requirement = { capability: 'scripts.inventory', unless: decisionExemption }
