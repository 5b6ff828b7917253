/** @module Enumerations and limits of the script inventory; all are open to clients (Rules 53 to 60). */

export const scriptStatuses = ['unreviewed', 'authorized', 'rejected'] as const

export const decisionStatuses = ['authorized', 'rejected'] as const

export const integrityModes = ['any_content', 'pinned_hashes'] as const

export const scriptSources = ['report', 'scan'] as const

/** Witnesses of a payment page's script in the window. */
export const scriptWitnesses = ['scan', 'browsers'] as const

export type ScriptWitness = (typeof scriptWitnesses)[number]

export type ScriptSource = (typeof scriptSources)[number]

export const coverageStates = ['protected', 'unprotected', 'unknown'] as const

export const coverageSources = ['reports', 'scan'] as const

export const identificationStates = ['identified', 'name_mismatch', 'unrecognised', 'unhashed'] as const

export const advisoryStates = ['affected', 'none_known', 'pending', 'not_assessed', 'not_included'] as const

/** Worst first. */
export const severities = ['critical', 'high', 'medium', 'low', 'unknown'] as const

export type Severity = (typeof severities)[number]

export const captureStates = ['captured', 'mismatched', 'refused', 'pending', 'interrupted'] as const

/** Bytes (Rule 60). */
export const largestCapture = 5 * 1024 * 1024

export const captureRefusals = [
  'daily_cap',
  'unknown_host',
  'not_allowed',
  'unsupported_hash',
  'too_large',
  'html_response',
  'http_error',
  'timeout',
  'tls_failure',
  'too_many_redirects',
  'connection_failed',
] as const

/** Rule 54. */
export const inventorySize = 1_000

/** Rule 54. */
export const activityHashes = 50
