import { z } from 'zod'
import { type HeaderKindName, headerKindNames } from '../reporting-headers.ts'
import { dateTimeText, openEnum, untrusted } from './common.ts'

const setupStates = ['ok', 'wrong', 'missing', 'optional', 'unknown'] as const

const setupProblems = [
  'undeclared_endpoint',
  'insecure_endpoint',
  'other_endpoint',
  'ignored_report_uri',
  'silent_policy',
] as const

export type SetupProblem = (typeof setupProblems)[number]

/** Longest header that is returned, in characters. */
export const maxHeaderLength = 8_192

const kind = z
  .object({
    kind: openEnum(headerKindNames as [HeaderKindName, ...HeaderKindName[]]),
    about: z.string().meta({ description: 'The reports of this kind.' }),
    state: openEnum(setupStates).meta({
      description:
        '`missing`: no header makes browsers report. `optional`: the same, of a kind that costs reports with every page view. `unknown`: no scan.',
    }),
    lastReportAt: dateTimeText
      .nullable()
      .meta({ description: 'Latest report within retention; null if there is none.' }),
    headers: z.array(z.object({ name: z.string(), value: untrusted().max(maxHeaderLength) })).meta({
      description: `Headers of this kind that the scan received, truncated at ${maxHeaderLength} characters.`,
    }),
    problems: z.array(z.object({ problem: openEnum(setupProblems), message: untrusted() })),
    lines: z.array(untrusted()).meta({
      description:
        "Header lines to set. A policy is the page's own with reporting added; replace each `'nonce-*'` with the response's nonce.",
    }),
  })
  .meta({ id: 'SetupKind' })

export type SetupKind = z.infer<typeof kind>

export const siteSetup = z
  .object({
    scan: z.object({ pageId: z.guid(), scanId: z.guid(), url: untrusted(), scannedAt: dateTimeText }).nullable().meta({
      description:
        "Latest complete scan of a monitored page that ended on one of the site's hosts; null if there is none.",
    }),
    kinds: z.array(kind),
  })
  .meta({ id: 'SiteSetup' })
