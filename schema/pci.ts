/** @module Vocabulary of the PCI DSS 4.0 verdict (Rules 65 to 69). */

/** Payment page scripts are inventoried, authorized and their integrity is assured. */
export const scriptsRequirement = '6.4.3'

/** Changes of payment pages' security headers are detected and alerted on. */
export const changesRequirement = '11.6.1'

export const pciStatuses = ['met', 'partial', 'not_met'] as const

export type PciStatus = (typeof pciStatuses)[number]

/** Kinds in the order of a requirement's gaps. */
export const pciGapKinds = [
  'no_payment_pages',
  'scripts_not_on_plan',
  'inventory_truncated',
  'no_scripts_seen',
  'unreviewed_scripts',
  'rejected_scripts_running',
  'unprotected_scripts',
  'integrity_unmeasured',
  'unpinned_scripts',
  'review_overdue',
  'no_recent_scan',
  'no_rule',
  'page_unavailable',
  'scan_gap',
  'inline_not_comparable',
  'not_alerted',
  'destination_failing',
  'destination_untested',
] as const

export type PciGapKind = (typeof pciGapKinds)[number]

export const changeEvent = 'page.headers_changed'
export const gradeEvent = 'page.grade_dropped'

export const scriptEvent = 'script.changed'

/** Rule 66; `script.changed` only on plans whose scans list scripts. */
export const watchedEvents = [changeEvent, gradeEvent, scriptEvent] as const

/** Rule 88. */
export const integrityMethods = ['SRI', 'Integrity-Policy', 'scan', 'none'] as const

export type IntegrityMethod = (typeof integrityMethods)[number]

/** Rule 67. */
export const watchedDays = 7

/** Rule 68. */
export const changeDays = 30

/** Days after a change without an alert until the requirement is not met (Rule 66). */
export const unalertedDays = 7

/** Days of script versions in a report: an assessment covers a year. */
export const versionDays = 365

/** Versions of scripts that a report lists. */
export const maxVersions = 10_000

/** Raised with every change of a report's evidence, which changes the hashes of all earlier ones. */
export const evidenceFormat = 2
