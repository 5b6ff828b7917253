import { z } from 'zod'
import { dispositions } from '../enumerations.ts'
import {
  activityHashes,
  advisoryStates,
  captureRefusals,
  captureStates,
  coverageSources,
  coverageStates,
  decisionStatuses,
  identificationStates,
  integrityModes,
  scriptSources,
  scriptStatuses,
  severities,
} from '../scripts.ts'
import { count, dateTimeText, openEnum, untrusted } from './common.ts'

const text = z.string()

const hash = z.string().meta({
  description:
    'sha256-<base64>, or the same of SHA-384 or SHA-512; "" for loads that browsers report unhashed, cross-origin without CORS.',
})

/** Rule 55. */
export const libraryIdentity = z
  .strictObject({
    name: text.min(1).max(214),
    version: text.min(1).max(128).meta({ description: 'The earliest release that holds the bytes: a lower bound.' }),
    path: text.max(1_024).meta({ description: 'The file within the package.' }),
    catalog: text
      .min(1)
      .max(64)
      .refine((value) => /^\S+$/.test(value), { error: 'must be a word without spaces' })
      .meta({ description: 'Where the library is published, such as npm.' }),
  })
  .meta({ id: 'LibraryIdentity' })

export type LibraryIdentity = z.infer<typeof libraryIdentity>

/** Rule 60. */
export const scriptCapture = z
  .strictObject({
    state: openEnum(captureStates).meta({
      description: 'interrupted: an attempt that never reported back, and is never made again.',
    }),
    reason: openEnum(captureRefusals).nullable().meta({ description: 'Null unless refused.' }),
    source: openEnum(scriptSources).meta({ description: 'The sighting that caused it.' }),
    fetchedUrl: untrusted().max(8_192).meta({ description: 'The URL fetched, its query included.' }),
    finalUrl: untrusted().max(8_192).nullable().meta({ description: 'The URL of the response after redirects.' }),
    receivedHash: z.string().nullable().meta({ description: 'What the origin served instead, where mismatched.' }),
    size: count.nullable().meta({ description: 'Bytes held.' }),
    reused: z.boolean().meta({ description: 'Whether bytes that were stored already are the copy.' }),
  })
  .meta({ id: 'ScriptCapture' })

export type ScriptCapture = z.infer<typeof scriptCapture>

export const decidedBy = z
  .strictObject({ name: text.min(1).max(200).nullable(), email: text.min(3).max(254) })
  .meta({ id: 'DecidedBy', description: 'As recorded at the time.' })

export const scriptDecision = z
  .strictObject({
    id: z.guid(),
    status: openEnum(decisionStatuses),
    integrityMode: openEnum(integrityModes).nullable().meta({ description: 'Null for a rejection.' }),
    pinnedHashes: z.array(z.string()).nullable().meta({
      description: 'The hashes it pins; null where it pins those the script had had by then, or none by its mode.',
    }),
    justification: text.max(4_000).nullable(),
    decidedBy,
    decidedAt: dateTimeText,
  })
  .meta({ id: 'ScriptDecision' })

export type ScriptDecision = z.infer<typeof scriptDecision>

const scriptVersion = z
  .object({
    hash,
    source: openEnum(scriptSources).meta({ description: 'The first to see the bytes.' }),
    sources: z.array(openEnum(scriptSources)).meta({ description: 'All that have seen them, the first one first.' }),
    pinned: z.boolean().meta({ description: 'Whether the current authorization pins it.' }),
    firstSeenAt: dateTimeText,
    lastSeenAt: dateTimeText,
    identity: libraryIdentity.nullable().meta({ description: 'Null where the index of libraries does not hold it.' }),
    capture: scriptCapture.nullable().meta({ description: 'Null where no attempt was made.' }),
  })
  .meta({ id: 'ScriptVersion' })

const coverage = z
  .object({
    state: openEnum(coverageStates),
    decidedBy: openEnum(coverageSources).nullable().meta({ description: 'Null where unknown.' }),
    lastUnprotectedAt: dateTimeText.nullable().meta({
      description: 'When a browser last reported it loading without integrity metadata; null unless unprotected.',
    }),
    mode: openEnum(dispositions).nullable().meta({
      description: 'enforce: the browser blocked it. Null unless browsers reported it unprotected.',
    }),
  })
  .meta({ id: 'ScriptCoverage' })

const identification = z
  .object({
    state: openEnum(identificationStates).meta({ description: 'Of the hash seen last.' }),
    package: libraryIdentity.omit({ catalog: true }).nullable(),
    catalog: z.string().nullable(),
    claimed: z
      .object({ name: untrusted(), version: untrusted().nullable() })
      .nullable()
      .meta({ description: 'What the URL claims to serve; null unless name_mismatch.' }),
  })
  .meta({ id: 'ScriptIdentification' })

const advisory = z
  .object({
    id: z.string(),
    aliases: z.array(z.string()).meta({ description: 'CVE ids first.' }),
    severity: openEnum(severities).meta({
      description: 'The database’s own rating, otherwise that of the CVSS v3 base score; unknown where neither exists.',
    }),
    fixedIn: z.string().nullable().meta({ description: 'The lowest release that fixes it.' }),
    url: z.string(),
    catalog: z.string(),
    modifiedAt: dateTimeText,
  })
  .meta({ id: 'ScriptAdvisory' })

const advisories = z
  .object({
    state: openEnum(advisoryStates),
    severity: openEnum(severities).nullable().meta({ description: 'The worst of the items.' }),
    checkedAt: dateTimeText.nullable().meta({ description: 'Null unless checked.' }),
    items: z.array(advisory).meta({ description: 'Worst first.' }),
  })
  .meta({ id: 'ScriptAdvisories' })

const activity = z
  .object({
    reportCount: count.meta({ description: 'Reports received; repeat sightings are sampled.' }),
    pageCount: count.meta({ description: 'Distinct pages, without their queries.' }),
    paymentPageCount: count.meta({ description: 'How many of those are payment pages.' }),
    hashes: z
      .array(untrusted())
      .max(activityHashes)
      .meta({ description: 'Every hash reported, as browsers wrote it, the last seen first; at most 50.' }),
  })
  .meta({ id: 'ScriptActivity' })

const presence = z
  .object({
    latestScan: z.object({ scanId: z.guid(), pageId: z.guid(), scannedAt: dateTimeText }),
    foundOn: z.array(z.guid()).meta({ description: 'Payment pages whose scans found it.' }),
    goneFrom: z
      .array(z.object({ pageId: z.guid(), lastScanId: z.guid(), lastSeenAt: dateTimeText }))
      .meta({ description: 'Those whose latest scan that loaded the page finds it no more; the last scan that did.' }),
  })
  .meta({ id: 'ScriptScanPresence' })

export const script = z
  .object({
    id: z.guid(),
    siteId: z.guid(),
    url: untrusted().meta({ description: 'Its identity: without query and fragment.' }),
    host: untrusted(),
    status: openEnum(scriptStatuses),
    integrityMode: openEnum(integrityModes).nullable().meta({ description: 'Null unless authorized.' }),
    decidedBy: decidedBy.nullable(),
    decidedAt: dateTimeText.nullable(),
    justification: z.string().nullable(),
    firstSeenAt: dateTimeText.nullable().meta({ description: 'Null for one that was decided about and never seen.' }),
    lastSeenAt: dateTimeText.nullable(),
    lastNewHashAt: dateTimeText.nullable().meta({
      description: 'When it was last seen with a hash it had not had before; null where every sighting was unhashed.',
    }),
    hashes: z.array(scriptVersion).meta({
      description: 'The last seen first: the last 200, and all that the current authorization pins.',
    }),
    hashesTruncated: z.boolean().meta({ description: 'It had other hashes before, which are not listed.' }),
    coverage,
    identification,
    advisories,
    activity: activity.nullable().meta({ description: 'Null when browsers did not report it in the window.' }),
    scanPresence: presence.nullable().meta({ description: 'Null when no scan in the window found it.' }),
  })
  .meta({ id: 'Script' })

export type Script = z.infer<typeof script>
