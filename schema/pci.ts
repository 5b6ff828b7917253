/** Vocabulary of the PCI readiness verdict (contract, Enumerations; PCI DSS 4.0 requirements 6.4.3 and 11.6.1). */

/** Requirement 6.4.3: payment page scripts are inventoried, authorized and their integrity is assured. */
export const scriptsRequirement = '6.4.3'

/** Requirement 11.6.1: changes of payment pages' security headers are detected and alerted on. */
export const changesRequirement = '11.6.1'

export const pciStatuses = ['met', 'partial', 'not_met'] as const

export type PciStatus = (typeof pciStatuses)[number]

/** Gap kinds in the order gaps are listed. */
export const pciGapKinds = [
  'no_payment_pages',
  'scripts_not_on_plan',
  'inventory_truncated',
  'no_scripts_seen',
  'unreviewed_scripts',
  'rejected_scripts_running',
  'unprotected_scripts',
  'integrity_unmeasured',
  'no_recent_scan',
  'no_rule',
] as const

export type PciGapKind = (typeof pciGapKinds)[number]

/** A watched header of a page changed. */
export const changeEvent = 'page.headers_changed'

/** A page's grade dropped. */
export const gradeEvent = 'page.grade_dropped'

/** Events that an immediate alert rule must cover for 11.6.1 (decisions, PCI). */
export const watchedEvents = [changeEvent, gradeEvent] as const

/** A payment page is watched while its last complete scan is younger than this many days (contract, Limits). */
export const watchedDays = 7

/** Days of change evidence (contract, Limits). */
export const changeDays = 30
