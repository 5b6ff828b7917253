import { z } from 'zod'
import { corsVerdicts, fetchOutcomes } from '../enumerations.ts'
import { line } from '../record-fields.ts'
import { openEnum, untrusted } from './common.ts'

const text = (maxLength: number) => untrusted().max(maxLength)

const url = text(8_192).min(1)

const origin = text(8_192).nullable()

const cors = z
  .strictObject({
    verdict: openEnum(corsVerdicts),
    allowOrigin: origin.meta({ description: 'Access-Control-Allow-Origin of the response; null if absent.' }),
    allowCredentials: z.boolean().meta({ description: 'True if the response allows requests with credentials.' }),
    redirected: z.boolean(),
    failingHop: z
      .strictObject({ url, statusCode: z.int().min(100).max(599).nullable() })
      .nullable()
      .meta({ description: 'The request in the redirect chain whose response did not allow access.' }),
    originSent: origin.meta({ description: 'The Origin header of the request.' }),
    message: line(1_000).nullable().meta({ description: 'The verdict as text for people.' }),
  })
  .meta({ id: 'ScriptCors' })

export const scannedScript = z
  .strictObject({
    src: text(65_536).meta({ description: 'The src attribute, unchanged.' }),
    url: url
      .nullable()
      .meta({ description: 'The src resolved against the page, with its query; null if it is not a URL.' }),
    identityUrl: url
      .nullable()
      .meta({ description: 'The URL without query and fragment, which identifies the script.' }),
    sameOrigin: z.boolean(),
    integrity: text(65_536).nullable().meta({ description: 'The integrity attribute of the tag.' }),
    outcome: openEnum(fetchOutcomes).meta({
      description:
        'hashed: fetched and hashed; failed: fetched, but could not be hashed; refused: not fetched, because it has no URL, or the URL or a redirect is not allowed; skipped: not fetched, because of the limit per page or the time limit.',
    }),
    hash: z
      .string()
      .max(51)
      .refine((value) => /^sha256-[A-Za-z0-9+/]{43}=$/.test(value), {
        error: 'must be sha256- and 44 base64 characters',
      })
      .nullable()
      .meta({ description: 'sha256-<base64>; set only if the outcome is hashed.' }),
    size: z.int().min(0).nullable().meta({ description: 'Number of hashed bytes; set with the hash.' }),
    problem: z
      .strictObject({ reason: line(64), message: line(1_000) })
      .nullable()
      .meta({ description: 'The reason for a missing hash; null if there is a hash.' }),
    cors: cors.nullable().meta({ description: 'Null unless the script was fetched.' }),
  })
  .meta({ id: 'ScannedScript' })

export type ScannedScript = z.infer<typeof scannedScript>
