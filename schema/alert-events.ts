/** @module Events that the worker finds; rules and deliveries of other systems can name more. */

import { changeEvent, gradeEvent } from './pci.ts'

export const failingEvent = 'page.scan_failing'
export const newIssueEvent = 'csp.new_issue'
export const scriptEvent = 'script.changed'

export const alertEvents = [changeEvent, gradeEvent, failingEvent, newIssueEvent, scriptEvent] as const

export type AlertEvent = (typeof alertEvents)[number]
