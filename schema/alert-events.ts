/** @module Events that the worker finds; rules and deliveries of other systems can name more. */

import { changeEvent, gradeEvent, scriptEvent } from './pci.ts'

export const failingEvent = 'page.scan_failing'
export const newIssueEvent = 'csp.new_issue'
export const policyEvent = 'csp.policy_changed'
export const vulnerableEvent = 'script.vulnerable'
export const burstEvent = 'reports.burst'
export const floodEvent = 'reports.flood'
export const silenceEvent = 'reports.silence'

export const alertEvents = [
  changeEvent,
  gradeEvent,
  failingEvent,
  newIssueEvent,
  policyEvent,
  scriptEvent,
  vulnerableEvent,
  burstEvent,
  floodEvent,
  silenceEvent,
] as const

/** Ends the subject of an alert that something is over. */
export const endSuffix = ' ended'

export type AlertEvent = (typeof alertEvents)[number]
