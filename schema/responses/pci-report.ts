import { z } from 'zod'
import { scanGrades } from '../enumerations.ts'
import { pciStatuses } from '../pci.ts'
import { planNames, planOverrides } from '../plans.ts'
import { scriptWitnesses } from '../scripts.ts'
import { alertDelivery } from './alert-delivery.ts'
import { count, dateTimeText, openEnum, readWindow, untrusted } from './common.ts'
import { monitoredPage } from './monitored-page.ts'
import { pciGap, pciReadiness } from './pci.ts'
import { scan } from './scan.ts'
import { script, scriptCapture, scriptDecision } from './script.ts'

const named = z.object({ id: z.guid(), name: z.string() })
const { pages, scripts } = pciReadiness.shape.evidence.shape
const url = script.shape.url

const page = monitoredPage.pick({ pattern: true }).extend({
  ...pages.element.omit({ watched: true }).shape,
  completeScans: count.meta({ description: 'Of the 30 days before asOf.' }),
  failedScans: count,
})

const rule = z.object({
  id: z.string(),
  siteId: z.guid().nullable().meta({ description: 'Null for every site of the tenant.' }),
  eventType: z.string(),
  kind: openEnum(['immediate', 'digest']),
  destinationId: z.string(),
  enabled: z.boolean(),
})

const version = z
  .object({
    url,
    hash: z.string().nullable().meta({ description: 'Null of a script that the scan could not read.' }),
    firstSeenAt: dateTimeText,
    lastSeenAt: dateTimeText,
    pageIds: z.array(z.guid()),
  })
  .meta({ id: 'PciScannedVersion', description: 'Bytes of a script that scans found on payment pages.' })

const change = z.object({
  scanId: z.guid(),
  pageId: z.guid(),
  pageLabel: z.string(),
  scannedAt: dateTimeText,
  headers: scan.shape.changes.shape.headers,
  gradeDroppedFrom: openEnum(scanGrades).nullable(),
  grade: openEnum(scanGrades).nullable(),
  alertIds: z.array(z.string()).meta({ description: 'Immediate alerts of it that were delivered within a day.' }),
  failedAlertIds: z
    .array(z.string())
    .meta({ description: 'Without one, immediate alerts of its events within a day that were not delivered.' }),
})

const evidence = z
  .object({
    format: z.int().min(1),
    asOf: dateTimeText,
    tenant: named,
    site: named,
    plan: z
      .object({ name: openEnum(planNames), overrides: planOverrides })
      .meta({ description: 'As recorded; overrides are the cells of the plan that its contract changed.' }),
    pages: z.array(page).meta({ description: 'The payment pages.' }),
    rules: z.array(rule).meta({ description: 'Alert rules that cover the site, by id.' }),
    decisions: z
      .array(scriptDecision.extend({ url, recordedAt: dateTimeText }))
      .meta({ description: 'Of every script of the site, oldest first; recordedAt is when it was stored.' }),
    versions: z.array(version).meta({ description: 'Found by scans of the year before asOf, by URL and hash.' }),
    versionsTruncated: z.boolean().meta({ description: 'There are more than 10,000.' }),
    captures: z.array(scriptCapture.extend({ url, hash: z.string() })).meta({ description: 'By URL and hash.' }),
    changes: z.array(change).meta({ description: 'Of payment pages in the 30 days before asOf, newest first.' }),
    deliveries: z
      .array(
        alertDelivery
          .pick({ id: true, alertId: true, eventType: true, outcome: true, detail: true, createdAt: true })
          .extend({
            destination: alertDelivery.shape.destination,
          }),
      )
      .meta({ description: 'Of immediate alerts of changes in these 30 days, oldest first.' }),
  })
  .meta({ id: 'PciReportEvidence', description: 'What was recorded by asOf; evidenceHash is of this member alone.' })

const observedScript = scripts.element.extend({
  hashes: z.array(script.shape.hashes.element.omit({ identity: true, capture: true })),
  firstSeenAt: script.shape.firstSeenAt,
  lastSeenAt: script.shape.lastSeenAt,
  seenBy: z
    .array(openEnum(scriptWitnesses))
    .meta({ description: 'In the window. Reports of browsers are claims, which anyone can send.' }),
})

const observed = z
  .object({
    window: readWindow.meta({ description: 'Of the browsers’ reports that were read.' }),
    measured: z.boolean().meta({ description: 'Browsers sent an integrity report of the site in the window.' }),
    integrity: z
      .object({ protected: count, unprotected: count, unknown: count })
      .meta({ description: 'Sums of scripts.' }),
    scripts: z.array(observedScript).meta({ description: 'Of payment pages, last seen first.' }),
    uninventoriedCount: count.meta({ description: 'Unprotected scripts of payment pages that the inventory lacks.' }),
    uninventoried: z.array(z.object({ url: untrusted(), lastAt: dateTimeText, mode: z.string() })),
  })
  .meta({ id: 'PciReportObserved', description: 'What rests on browsers’ reports too, which retention deletes.' })

const requirement = z.object({
  id: z.string(),
  title: z.string(),
  text: z.string().meta({ description: 'The requirement of PCI DSS 4.0.1 in our own words.' }),
  status: openEnum(pciStatuses),
  summary: z.string().meta({ description: 'The facts, in sums that add up.' }),
  facts: z.record(z.string(), z.unknown()).meta({ description: 'As of /v1/compliance/pci-dss.' }),
  gaps: z.array(pciGap.extend({ sentence: z.string(), remedy: z.string().meta({ description: 'What closes it.' }) })),
})

export const pciReport = z
  .object({
    generatedAt: dateTimeText,
    evidenceHash: z.string().meta({
      description: 'SHA-256 of `evidence` in the canonical form of RFC 8785, in lower-case hexadecimal.',
    }),
    requirements: z.array(requirement),
    watchedPageIds: z.array(z.guid()).meta({ description: 'Payment pages that were watched by then.' }),
    evidence,
    observed,
    limits: z.array(z.string()).meta({ description: 'What is missing, in sentences.' }),
  })
  .meta({ id: 'PciReport' })

export type PciReport = z.input<typeof pciReport>
