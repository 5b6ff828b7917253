import { z } from 'zod'
import { scanGrades } from '../enumerations.ts'
import { integrityMethods, pciStatuses } from '../pci.ts'
import { planNames, planOverrides } from '../plans.ts'
import { scriptWitnesses } from '../scripts.ts'
import { acknowledgement, alertDelivery } from './alert-delivery.ts'
import { count, dateTimeText, openEnum, readWindow, untrusted } from './common.ts'
import { monitoredPage } from './monitored-page.ts'
import { pciGap, pciReadiness } from './pci.ts'
import { scan } from './scan.ts'
import { script, scriptCapture } from './script.ts'
import { recordedDecision } from './script-decision.ts'

const named = z.object({ id: z.guid(), name: z.string() })
const { pages, scripts } = pciReadiness.shape.evidence.shape
const url = script.shape.url

const page = monitoredPage.pick({ pattern: true }).extend({
  ...pages.element.omit({ watched: true }).shape,
  completeScans: count.meta({ description: 'Complete scans in the 30 days before asOf.' }),
  failedScans: count,
  unavailable: z.boolean().meta({
    description: 'True if the latest scan got another status than 2xx or was redirected to another page.',
  }),
  inlineNotComparable: z.boolean().meta({
    description: 'True if inline scripts differ in each of the last three scans.',
  }),
  longestScanGapMs: count.meta({ description: 'Longest time between scans in these 30 days, in milliseconds.' }),
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
    hash: z.string().nullable().meta({ description: 'Null if the scan could not read the script.' }),
    firstSeenAt: dateTimeText,
    lastSeenAt: dateTimeText,
    pageIds: z.array(z.guid()),
    intervals: z.array(readWindow).meta({
      description: 'First and last of consecutive scans of a page that found it; intervals that overlap are one.',
    }),
  })
  .meta({
    id: 'PciScannedVersion',
    description: 'A version of a script, by its bytes, that scans found on payment pages.',
  })

const change = z.object({
  scanId: z.guid(),
  pageId: z.guid(),
  pageLabel: z.string(),
  scannedAt: dateTimeText,
  headers: scan.shape.changes.shape.headers,
  gradeDroppedFrom: openEnum(scanGrades).nullable(),
  grade: openEnum(scanGrades).nullable(),
  alertIds: z
    .array(z.string())
    .meta({ description: 'Immediate alerts about the change that were delivered within a day.' }),
  failedAlertIds: z.array(z.string()).meta({
    description: 'If alertIds is empty: immediate alerts about the change within a day that were not delivered.',
  }),
  acknowledgedAt: dateTimeText.nullable().meta({
    description: 'First acknowledgement of an alert about the change; null if there is none within seven days.',
  }),
})

const evidence = z
  .object({
    format: z.int().min(1),
    asOf: dateTimeText,
    tenant: named,
    site: named,
    plan: z
      .object({ name: openEnum(planNames), overrides: planOverrides })
      .meta({ description: 'As recorded; overrides are values that differ from the plan.' }),
    pages: z.array(page).meta({ description: 'The payment pages.' }),
    rules: z.array(rule).meta({ description: 'Alert rules that cover the site, by id.' }),
    decisions: z.array(recordedDecision.extend({ url, recordedAt: dateTimeText })).meta({
      description: 'Decisions about every script of the site, oldest first; recordedAt is the time of storage.',
    }),
    versions: z
      .array(version)
      .meta({ description: 'Versions found by scans in the year before asOf, by URL and hash.' }),
    destinations: z
      .array(
        z.object({
          id: z.string(),
          name: z.string().nullable().meta({ description: 'As in the latest delivery.' }),
          outcome: z.string().nullable(),
          at: dateTimeText.nullable(),
        }),
      )
      .meta({ description: 'Destinations of immediate rules with their latest delivery; null without one.' }),
    versionsTruncated: z.boolean().meta({ description: 'True if there are more than 10,000.' }),
    captures: z.array(scriptCapture.extend({ url, hash: z.string() })).meta({ description: 'Sorted by URL and hash.' }),
    changes: z
      .array(change)
      .meta({ description: 'Changes of payment pages in the 30 days before asOf, newest first.' }),
    scriptChanges: z
      .array(
        version.pick({ url: true, hash: true }).extend({
          sample: untrusted()
            .nullable()
            .meta({ description: 'Start of an inline script, whose url is "inline"; null for other scripts.' }),
          ...change.pick({
            scanId: true,
            pageId: true,
            pageLabel: true,
            scannedAt: true,
            alertIds: true,
            acknowledgedAt: true,
          }).shape,
          change: openEnum(['added', 'changed', 'removed', 'returned', 'rejected']).meta({
            description: 'returned: an earlier scan of the page had it; rejected: it runs after its rejection.',
          }),
        }),
      )
      .meta({ description: 'Changes of scripts in these 30 days that no decision allowed, newest first.' }),
    deliveries: z
      .array(
        alertDelivery
          .pick({ id: true, alertId: true, eventType: true, outcome: true, detail: true, createdAt: true })
          .extend({
            destination: alertDelivery.shape.destination,
            scanIds: z.array(z.guid()).meta({
              description:
                'Scans that the alert is about; empty for deliveries of other systems and of earlier releases.',
            }),
            acknowledgements: z.array(acknowledgement).meta({ description: 'Including late ones, oldest first.' }),
          }),
      )
      .meta({ description: 'Deliveries of immediate alerts about changes in these 30 days, oldest first.' }),
    scanWeeks: z.array(z.object({ week: z.iso.date(), pages: count, complete: count, failed: count })).meta({
      description:
        'Scans of payment pages per week of the last year, by its Monday in UTC, from the first week with a scan; pages: with a complete scan.',
    }),
  })
  .meta({ id: 'PciReportEvidence', description: 'Evidence recorded by asOf; evidenceHash covers only this member.' })

const observedScript = scripts.element.extend({
  ...recordedDecision.pick({ owner: true, reviewBy: true }).shape,
  method: openEnum(integrityMethods).meta({
    description:
      'How its integrity is assured. SRI: tags have integrity metadata; Integrity-Policy: browsers check it; scan: scans found the authorized bytes on each payment page in each of the last five weeks.',
  }),
  hashes: z.array(script.shape.hashes.element.omit({ identity: true, capture: true })),
  firstSeenAt: script.shape.firstSeenAt,
  lastSeenAt: script.shape.lastSeenAt,
  seenBy: z
    .array(openEnum(scriptWitnesses))
    .meta({ description: 'Sightings in the window. Anyone can send browser reports.' }),
})

const observed = z
  .object({
    window: readWindow.meta({ description: 'Window of the browser reports.' }),
    measured: z
      .boolean()
      .meta({ description: 'True if browsers sent an integrity report for the site in the window.' }),
    integrity: z
      .object({ protected: count, unprotected: count, unknown: count })
      .meta({ description: 'Number of scripts per state.' }),
    scripts: z.array(observedScript).meta({ description: 'Scripts of payment pages, most recently seen first.' }),
    uninventoriedCount: count.meta({
      description: 'Number of unprotected scripts on payment pages that are not in the inventory.',
    }),
    uninventoried: z.array(z.object({ url: untrusted(), lastAt: dateTimeText, mode: z.string() })),
  })
  .meta({ id: 'PciReportObserved', description: 'Data that depends on browser reports, which retention deletes.' })

const requirement = z.object({
  id: z.string(),
  title: z.string(),
  text: z.string().meta({ description: 'The requirement of PCI DSS 4.0.1, paraphrased.' }),
  status: openEnum(pciStatuses),
  summary: z.string().meta({ description: 'The facts as sums.' }),
  facts: z.record(z.string(), z.unknown()).meta({ description: 'As in /v1/compliance/pci-dss.' }),
  gaps: z.array(
    pciGap.extend({ sentence: z.string(), remedy: z.string().meta({ description: 'How to close the gap.' }) }),
  ),
})

export const pciReport = z
  .object({
    generatedAt: dateTimeText,
    evidenceHash: z.string().meta({
      description: 'SHA-256 of `evidence` in the canonical form of RFC 8785, in lower-case hexadecimal.',
    }),
    requirements: z.array(requirement),
    watchedPageIds: z.array(z.guid()).meta({ description: 'Payment pages that were watched at asOf.' }),
    evidence,
    observed,
    limits: z.array(z.string()).meta({ description: 'Descriptions of missing data.' }),
  })
  .meta({ id: 'PciReport' })

export type PciReport = z.input<typeof pciReport>
