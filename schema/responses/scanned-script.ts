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
    allowOrigin: origin.meta({ description: 'Access-Control-Allow-Origin of the response; null without it.' }),
    allowCredentials: z.boolean().meta({ description: 'The response allows requests with credentials.' }),
    redirected: z.boolean(),
    failingHop: z
      .strictObject({ url, statusCode: z.int().min(100).max(599).nullable() })
      .nullable()
      .meta({ description: 'The request of the redirect chain whose response did not allow it.' }),
    originSent: origin.meta({ description: 'The Origin that the request carried.' }),
    message: line(1_000).nullable().meta({ description: 'The verdict for people.' }),
  })
  .meta({ id: 'ScriptCors' })

export const scannedScript = z
  .strictObject({
    src: text(65_536).meta({ description: 'As the page writes it.' }),
    url: url.nullable().meta({ description: 'Resolved against the page, with its query; null if src is no URL.' }),
    identityUrl: url.nullable().meta({ description: 'Without query and fragment: what a script is known by.' }),
    sameOrigin: z.boolean(),
    integrity: text(65_536).nullable().meta({ description: 'The tag’s integrity attribute.' }),
    outcome: openEnum(fetchOutcomes).meta({
      description:
        'hashed: fetched and hashed; failed: fetched, but no script that can be hashed; refused: not fetched, its URL or a redirect led where scans do not go, or it has no URL; skipped: not fetched, past the page’s limit or the scan’s time.',
    }),
    hash: z
      .string()
      .max(51)
      .refine((value) => /^sha256-[A-Za-z0-9+/]{43}=$/.test(value), { error: 'must be sha256- and 44 of base64' })
      .nullable()
      .meta({ description: 'sha256-<base64>; set only where the outcome is hashed.' }),
    size: z.int().min(0).nullable().meta({ description: 'The bytes hashed; set with the hash.' }),
    problem: z
      .strictObject({ reason: line(64), message: line(1_000) })
      .nullable()
      .meta({ description: 'Why there is no hash; null where there is one.' }),
    cors: cors.nullable().meta({ description: 'Null unless the script was fetched.' }),
  })
  .meta({ id: 'ScannedScript' })

export type ScannedScript = z.infer<typeof scannedScript>
