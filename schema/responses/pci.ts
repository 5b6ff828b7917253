import { z } from 'zod'
import { comparedHeaders, scanGrades } from '../enumerations.ts'
import { changesRequirement, pciGapKinds, pciStatuses, scriptsRequirement } from '../pci.ts'
import { planNames } from '../plans.ts'
import { count, dateTimeText, openEnum, readWindow, untrusted } from './common.ts'
import { decidedBy, script } from './script.ts'

export const pciGap = z
  .object({
    kind: openEnum(pciGapKinds),
    count: count
      .nullable()
      .meta({ description: 'The number, for gaps that count something; no_recent_scan: pages that are not watched.' }),
    eventType: z.string().nullable().meta({ description: 'The event without an alert rule; only for no_rule.' }),
  })
  .meta({ id: 'PciGap', description: 'One reason why a requirement is not met.' })

const verdict = <Id extends string, Facts extends z.ZodRawShape>(id: Id, facts: Facts) =>
  z.object({ id: z.literal(id), status: openEnum(pciStatuses), facts: z.object(facts), gaps: z.array(pciGap) })

const scriptsVerdict = verdict(scriptsRequirement, {
  paymentPages: count,
  scripts: count.meta({ description: 'Number of scripts reported from payment pages.' }),
  authorized: count,
  unreviewed: count,
  rejected: count,
  integrity: z.object({
    protected: count,
    unprotected: count.meta({
      description: 'Includes scripts that were reported without integrity metadata and are not in the inventory.',
    }),
    unknown: count,
    measured: z
      .boolean()
      .meta({ description: 'True if browsers sent any integrity report for the site in the window.' }),
  }),
}).meta({ id: 'PciScriptsVerdict' })

const changesFacts = {
  paymentPages: count,
  watched: count,
  changes: count,
  alerted: count,
  acknowledged: count.meta({ description: 'Changes that were not alerted but acknowledged within seven days.' }),
  scriptChanges: count.meta({ description: 'Changes of scripts in 30 days that no decision allowed.' }),
  alertedScriptChanges: count,
  acknowledgedScriptChanges: count,
  unavailable: count.meta({
    description: 'Payment pages whose latest scan got another status than 2xx or was redirected elsewhere.',
  }),
  inlineNotComparable: count.meta({
    description: 'Payment pages whose inline scripts differ in each of the last three scans.',
  }),
  longestScanGapDays: z.number().meta({ description: 'Longest time between scans of a payment page in 30 days.' }),
  destinations: count.meta({ description: 'Destinations of immediate alert rules for these events.' }),
  failingDestinations: count.meta({ description: 'Destinations whose latest delivery, a test included, failed.' }),
  untestedDestinations: count.meta({ description: 'Destinations without a delivery in 30 days.' }),
}
const changesVerdict = verdict(changesRequirement, changesFacts).meta({ id: 'PciChangesVerdict' })

const { id, url, status, integrityMode, justification, decidedAt, coverage } = script.shape

const scriptEvidence = z
  .object({
    id,
    url,
    status,
    integrityMode,
    justification,
    decidedBy: decidedBy.nullable(),
    decidedAt,
    coverage,
    stillRunning: z
      .boolean()
      .meta({ description: 'True if the script was rejected and seen on a payment page since then.' }),
    paymentPages: z.array(z.object({ pageId: z.guid(), label: z.string() })),
    uninventoriedUnprotected: count.meta({
      description:
        'Number of scripts from this host that browsers reported as unprotected on payment pages and that are not in the inventory.',
    }),
  })
  .meta({ id: 'PciScriptEvidence' })

const pageEvidence = z
  .object({
    id: z.guid(),
    label: z.string(),
    scanUrl: z.string().nullable(),
    lastScanAt: dateTimeText.nullable().meta({ description: 'Time of the last complete scan.' }),
    grade: openEnum(scanGrades).nullable(),
    watched: z.boolean().meta({
      description:
        'True if the plan includes scans of payment pages and the last complete scan is less than 7 days old.',
    }),
  })
  .meta({ id: 'PciPageEvidence' })

const changeEvidence = z
  .object({
    scanId: z.guid(),
    pageId: z.guid(),
    pageLabel: z.string(),
    scannedAt: dateTimeText,
    headers: z.array(openEnum(comparedHeaders)).meta({ description: 'Headers that changed.' }),
    gradeDroppedFrom: openEnum(scanGrades).nullable(),
    grade: openEnum(scanGrades).nullable(),
    alerted: z
      .boolean()
      .meta({ description: 'True if an immediate alert about the change was delivered within a day.' }),
  })
  .meta({ id: 'PciChangeEvidence' })

const neededPlan = openEnum(planNames).nullable()

export const pciReadiness = z
  .object({
    siteId: z.guid(),
    siteName: z.string(),
    generatedAt: dateTimeText,
    requirements: z.tuple([scriptsVerdict, changesVerdict]),
    evidence: z.object({
      scripts: z.array(scriptEvidence).meta({ description: 'The scripts reported from payment pages.' }),
      uninventoriedUnprotected: count.meta({
        description:
          'Number of scripts, from all hosts, that browsers reported as unprotected on payment pages and that are not in the inventory.',
      }),
      pages: z.array(pageEvidence).meta({ description: 'The payment pages.' }),
      changes: z.array(changeEvidence).meta({ description: 'Changes in the last 30 days, newest first.' }),
      window: readWindow.nullable().meta({ description: 'Window of the scripts; null without a payment page.' }),
      suggestions: z
        .array(z.object({ url: untrusted(), suggestedPattern: untrusted() }))
        .meta({ description: 'If the site has no payment page: the pages with the most reports in the last 30 days.' }),
    }),
    plan: z.object({
      current: openEnum(planNames),
      requiredFor: z
        .object({ paymentPages: neededPlan, scans: neededPlan, decisions: neededPlan })
        .meta({ description: 'The lowest plan that includes each requirement; null if the current plan includes it.' }),
    }),
  })
  .meta({ id: 'PciReadiness' })

export type PciReadiness = z.input<typeof pciReadiness>
