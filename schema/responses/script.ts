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
    'sha256-<base64>, sha384-<base64> or sha512-<base64>; "" for loads without a hash (cross-origin without CORS).',
})

/** Rule 55. */
export const libraryIdentity = z
  .strictObject({
    name: text.min(1).max(214),
    version: text.min(1).max(128).meta({ description: 'The earliest release with these bytes: a lower bound.' }),
    path: text.max(1_024).meta({ description: 'The file within the package.' }),
    catalog: text
      .min(1)
      .max(64)
      .refine((value) => /^\S+$/.test(value), { error: 'must be one word without spaces' })
      .meta({ description: 'Where the library is published, such as npm.' }),
  })
  .meta({ id: 'LibraryIdentity' })

export type LibraryIdentity = z.infer<typeof libraryIdentity>

/** Rule 60. */
export const scriptCapture = z
  .strictObject({
    state: openEnum(captureStates).meta({
      description: 'interrupted: the attempt did not finish and is not repeated.',
    }),
    reason: openEnum(captureRefusals).nullable().meta({ description: 'Null unless refused.' }),
    source: openEnum(scriptSources).meta({ description: 'The kind of sighting that caused the attempt.' }),
    fetchedUrl: untrusted().max(8_192).meta({ description: 'The fetched URL, including its query.' }),
    finalUrl: untrusted().max(8_192).nullable().meta({ description: 'The URL of the response after redirects.' }),
    receivedHash: z
      .string()
      .nullable()
      .meta({ description: 'If mismatched: the hash that the origin served instead.' }),
    size: count.nullable().meta({ description: 'Bytes held.' }),
    reused: z.boolean().meta({ description: 'True if the bytes were already stored.' }),
  })
  .meta({ id: 'ScriptCapture' })

export type ScriptCapture = z.infer<typeof scriptCapture>

export const decidedBy = z
  .strictObject({ name: text.min(1).max(200).nullable(), email: text.min(3).max(254) })
  .meta({ id: 'DecidedBy', description: 'As recorded when the decision was made.' })

export const scriptDecision = z
  .strictObject({
    id: z.guid(),
    status: openEnum(decisionStatuses),
    integrityMode: openEnum(integrityModes).nullable().meta({ description: 'Null for a rejection.' }),
    pinnedHashes: z.array(z.string()).nullable().meta({
      description: 'The pinned hashes; null if the mode pins none, or if all hashes known at that time are pinned.',
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
    source: openEnum(scriptSources).meta({ description: 'The kind of source that saw the bytes first.' }),
    sources: z
      .array(openEnum(scriptSources))
      .meta({ description: 'All kinds of sources that saw the bytes, in order of their first sighting.' }),
    pinned: z.boolean().meta({ description: 'True if the current authorization pins the hash.' }),
    firstSeenAt: dateTimeText,
    lastSeenAt: dateTimeText,
    identity: libraryIdentity.nullable().meta({ description: 'Null if the hash is not in the library index.' }),
    capture: scriptCapture.nullable().meta({ description: 'Null if there was no attempt.' }),
  })
  .meta({ id: 'ScriptVersion' })

const coverage = z
  .object({
    state: openEnum(coverageStates),
    decidedBy: openEnum(coverageSources).nullable().meta({ description: 'Null if unknown.' }),
    lastUnprotectedAt: dateTimeText.nullable().meta({
      description: 'Last browser report of the script loading without integrity metadata; null unless unprotected.',
    }),
    mode: openEnum(dispositions).nullable().meta({
      description: 'enforce: the browser blocked the script. Null unless browsers reported it as unprotected.',
    }),
  })
  .meta({ id: 'ScriptCoverage' })

const identification = z
  .object({
    state: openEnum(identificationStates).meta({ description: 'Identification of the most recent hash.' }),
    package: libraryIdentity.omit({ catalog: true }).nullable(),
    catalog: z.string().nullable(),
    claimed: z
      .object({ name: untrusted(), version: untrusted().nullable() })
      .nullable()
      .meta({ description: 'The library named in the URL; null unless name_mismatch.' }),
  })
  .meta({ id: 'ScriptIdentification' })

const advisory = z
  .object({
    id: z.string(),
    aliases: z.array(z.string()).meta({ description: 'CVE ids first.' }),
    severity: openEnum(severities).meta({
      description: 'The rating in the database, or one derived from the CVSS v3 base score; unknown if neither exists.',
    }),
    fixedIn: z.string().nullable().meta({ description: 'The lowest release with a fix.' }),
    url: z.string(),
    catalog: z.string(),
    modifiedAt: dateTimeText,
  })
  .meta({ id: 'ScriptAdvisory' })

const advisories = z
  .object({
    state: openEnum(advisoryStates),
    severity: openEnum(severities).nullable().meta({ description: 'The highest severity of the items.' }),
    checkedAt: dateTimeText.nullable().meta({ description: 'Null unless checked.' }),
    items: z.array(advisory).meta({ description: 'Worst first.' }),
  })
  .meta({ id: 'ScriptAdvisories' })

const activity = z
  .object({
    reportCount: count.meta({ description: 'Number of received reports; repeated sightings are sampled.' }),
    pageCount: count.meta({ description: 'Number of distinct pages, without queries.' }),
    paymentPageCount: count.meta({ description: 'How many of these pages are payment pages.' }),
    hashes: z
      .array(untrusted())
      .max(activityHashes)
      .meta({ description: 'Reported hashes as sent by browsers, most recently seen first; at most 50.' }),
  })
  .meta({ id: 'ScriptActivity' })

const presence = z
  .object({
    latestScan: z.object({ scanId: z.guid(), pageId: z.guid(), scannedAt: dateTimeText }),
    foundOn: z.array(z.guid()).meta({ description: 'Payment pages whose scans found the script.' }),
    goneFrom: z.array(z.object({ pageId: z.guid(), lastScanId: z.guid(), lastSeenAt: dateTimeText })).meta({
      description: 'Pages whose latest complete scan no longer found the script, with the last scan that did.',
    }),
  })
  .meta({ id: 'ScriptScanPresence' })

export const script = z
  .object({
    id: z.guid(),
    siteId: z.guid(),
    url: untrusted().meta({ description: 'The URL without query and fragment, which identifies the script.' }),
    host: untrusted(),
    status: openEnum(scriptStatuses),
    integrityMode: openEnum(integrityModes).nullable().meta({ description: 'Null unless authorized.' }),
    decidedBy: decidedBy.nullable(),
    decidedAt: dateTimeText.nullable(),
    justification: z.string().nullable(),
    firstSeenAt: dateTimeText
      .nullable()
      .meta({ description: 'Null for a script with a decision that was never seen.' }),
    lastSeenAt: dateTimeText.nullable(),
    lastNewHashAt: dateTimeText.nullable().meta({
      description: 'Time of the first sighting of the newest hash; null if no sighting had a hash.',
    }),
    hashes: z.array(scriptVersion).meta({
      description: 'Most recently seen first: the latest 200, and all hashes that the current authorization pins.',
    }),
    hashesTruncated: z.boolean().meta({ description: 'True if there are older hashes that are not listed.' }),
    coverage,
    identification,
    advisories,
    activity: activity.nullable().meta({ description: 'Null if browsers did not report the script in the window.' }),
    scanPresence: presence.nullable().meta({ description: 'Null if no scan in the window found the script.' }),
  })
  .meta({ id: 'Script' })

export type Script = z.infer<typeof script>
