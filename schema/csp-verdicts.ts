/** @module Words of the verdicts over past reports, and of the advice. */

export const cspVerdicts = ['violation', 'silent', 'unknown'] as const

export type CspVerdictName = (typeof cspVerdicts)[number]

/** Reasons for an unknown verdict; `no_directive` belongs to a silent one. */
export const cspVerdictReasons = [
  'no_directive',
  'redirect',
  'quoted_policy',
  'directive',
  'document',
  'port',
  'path',
  'hash',
  'nonce',
  'strict_dynamic',
  'speculation_rules',
  'trusted_types',
  'duplicate',
  'ancestor',
  'blocked_url',
  'not_assessed',
] as const

export type CspVerdictReason = (typeof cspVerdictReasons)[number]

export const cspDecisions = ['allow', 'review', 'deny'] as const

export type CspDecision = (typeof cspDecisions)[number]

/** Any of these denies. */
export const denyingReasons = [
  'noise',
  'inline',
  'eval',
  'wasm_eval',
  'trusted_types',
  'unsafe_scheme',
  'other_scheme',
  'base_uri',
  'embedder',
  'unknown_source',
  'no_effect',
  'redirect',
  'quoted_policy',
  'rejected_script',
  'rejected_source',
] as const

/** Confirmations other than reports: a scan's markup, a policy served to a scan, or an operator's decision. */
export const cspKnownBy = ['scan', 'policy', 'operator'] as const

export type CspKnownBy = (typeof cspKnownBy)[number]

/** Which policy an advice is about: the named one, the last that a scan was served, or the last that reports quoted. */
export const cspBases = ['named', 'served', 'reported'] as const

/** Each of these requires review. */
export const reviewReasons = [
  'unauthorized_script',
  'low_confidence',
  'single_page',
  'single_browser',
  'new_destination',
  'new_host',
  'shared_host',
  'insecure',
  'ip_address',
  'underscore_host',
  'worker_blob',
  'bypass',
  'old_directive',
  'opens_other',
  'claimed_by_reports_alone',
] as const

export type DenyingReason = (typeof denyingReasons)[number]
export type ReviewReason = (typeof reviewReasons)[number]

export const cspParties = ['self', 'own', 'same_site', 'third', 'none'] as const

export type CspParty = (typeof cspParties)[number]

export const cspHintKinds = [
  'hash',
  'unsafe_hashes',
  'nonce',
  'wasm_unsafe_eval',
  'follow_redirect',
  'report_sample',
  'javascript_url',
] as const

export const cspWarningKinds = ['unknown_directive', 'invalid_source', 'ignored', 'repeated', 'missing_quotes'] as const
