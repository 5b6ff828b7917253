import { findAnyDecision } from '../../queries/scripts/find-any-decision.ts'
import type { Exemption, Need } from '../pipeline/endpoint.ts'

/** A downgraded tenant keeps reading its own evidence (contract, GET /v1/sites/{siteId}/scripts). */
export const anyDecision: Exemption = {
  says: 'the tenant has any decision about a script on record',
  question: findAnyDecision,
}

/** The plan rule of the script operations. */
export const inventoryNeed: Need = { capability: 'scripts.inventory', unless: anyDecision }
