import { z } from 'zod'
import { scanGrades, watchedHeaders } from '../enumerations.ts'
import { changesRequirement, pciGapKinds, pciStatuses, scriptsRequirement } from '../pci.ts'
import { planNames } from '../plans.ts'
import { count, dateTimeText, openEnum, readWindow, untrusted } from './common.ts'
import { decidedBy, script } from './script.ts'

export const pciGap = z
  .object({
    kind: openEnum(pciGapKinds),
    count: count.nullable().meta({ description: 'How many, if it counts; no_recent_scan: pages not watched.' }),
    eventType: z.string().nullable().meta({ description: 'The event without an alert rule; for no_rule only.' }),
  })
  .meta({ id: 'PciGap', description: 'One reason why a requirement is not met.' })

const verdict = <Id extends string, Facts extends z.ZodRawShape>(id: Id, facts: Facts) =>
  z.object({ id: z.literal(id), status: openEnum(pciStatuses), facts: z.object(facts), gaps: z.array(pciGap) })

const scriptsVerdict = verdict(scriptsRequirement, {
  paymentPages: count,
  scripts: count.meta({ description: 'Scripts reported from payment pages.' }),
  authorized: count,
  unreviewed: count,
  rejected: count,
  integrity: z.object({
    protected: count,
    unprotected: count.meta({
      description: 'Includes scripts reported without integrity metadata that the inventory lacks.',
    }),
    unknown: count,
    measured: z
      .boolean()
      .meta({ description: 'Browsers sent an integrity report of the site in the window, whatever it was about.' }),
  }),
}).meta({ id: 'PciScriptsVerdict' })

const changesFacts = { paymentPages: count, watched: count, changes: count, alerted: count }
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
    stillRunning: z.boolean().meta({ description: 'Rejected, and seen on a payment page since.' }),
    paymentPages: z.array(z.object({ pageId: z.guid(), label: z.string() })),
    uninventoriedUnprotected: count.meta({
      description: 'Scripts of its host that browsers reported unprotected on payment pages and the inventory lacks.',
    }),
  })
  .meta({ id: 'PciScriptEvidence' })

const pageEvidence = z
  .object({
    id: z.guid(),
    label: z.string(),
    scanUrl: z.string().nullable(),
    lastScanAt: dateTimeText.nullable().meta({ description: 'Of its last complete scan.' }),
    grade: openEnum(scanGrades).nullable(),
    watched: z.boolean().meta({
      description: 'The plan scans payment pages, and the last complete scan is under 7 days old.',
    }),
  })
  .meta({ id: 'PciPageEvidence' })

const changeEvidence = z
  .object({
    scanId: z.guid(),
    pageId: z.guid(),
    pageLabel: z.string(),
    scannedAt: dateTimeText,
    headers: z.array(openEnum(watchedHeaders)).meta({ description: 'Those that changed.' }),
    gradeDroppedFrom: openEnum(scanGrades).nullable(),
    grade: openEnum(scanGrades).nullable(),
    alerted: z.boolean().meta({ description: 'An immediate alert of that change was delivered within a day.' }),
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
          'Of every host: scripts that browsers reported unprotected on payment pages and the inventory lacks.',
      }),
      pages: z.array(pageEvidence).meta({ description: 'The payment pages.' }),
      changes: z.array(changeEvidence).meta({ description: 'Of the last 30 days, newest first.' }),
      window: readWindow.nullable().meta({ description: 'Of the scripts; null without a payment page.' }),
      suggestions: z
        .array(z.object({ url: untrusted(), suggestedPattern: untrusted() }))
        .meta({ description: 'The busiest pages of the last 30 days, where the site has no payment page.' }),
    }),
    plan: z.object({
      current: openEnum(planNames),
      requiredFor: z
        .object({ paymentPages: neededPlan, scans: neededPlan, decisions: neededPlan })
        .meta({ description: 'The lowest plan that has each; null where the current plan has it.' }),
    }),
  })
  .meta({ id: 'PciReadiness' })

export type PciReadiness = z.input<typeof pciReadiness>
