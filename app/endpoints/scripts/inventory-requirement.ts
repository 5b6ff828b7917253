import { findAnyDecision } from '../../../queries/scripts/find-any-decision.ts'
import type { Exemption, Requirement } from '../../pipeline/endpoint.ts'

/** A downgraded tenant keeps reading its own evidence (contract, GET /v1/sites/{siteId}/scripts). */
export const decisionExemption: Exemption = {
  description: 'the tenant has any decision about a script on record',
  query: findAnyDecision,
}

/** The plan rule of the script operations. */
export const inventoryRequirement: Requirement = { capability: 'scripts.inventory', unless: decisionExemption }
