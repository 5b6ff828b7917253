import { z } from 'zod'
import { scriptHash } from '../../../queries/rules/scripts/script-hash.ts'
import { scriptUrl } from '../../../queries/rules/scripts/script-url.ts'

/** Members of records about scripts. A message is read behind the member's name. */

/** The URL of a script, as its identity: what a line says of user, query and fragment is passed over. */
export const scriptUrlMember = z
  .string()
  .min(1)
  .max(8_192)
  .transform((text, context) => {
    const url = scriptUrl(text)
    if (url === '') context.addIssue({ code: 'custom', message: 'must be an http or https URL' })
    return url
  })

/** A hash of a script's bytes, as the store keeps it. */
export const scriptHashMember = z
  .string()
  .min(1)
  .max(160)
  .transform((text, context) => {
    const hash = scriptHash(text)
    if (hash === '') {
      context.addIssue({ code: 'custom', message: 'must be a SHA-256, SHA-384 or SHA-512 such as sha256-<base64>' })
    }
    return hash
  })
