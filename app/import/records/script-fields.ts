import { z } from 'zod'
import { scriptHash } from '../../../queries/rules/scripts/script-hash.ts'
import { scriptUrl } from '../../../queries/rules/scripts/script-url.ts'

/** Fields of records about scripts; an error message follows the field's name. */

/** Identity of a script: its URL without user, query and fragment. */
export const scriptUrlField = z
  .string()
  .min(1)
  .max(8_192)
  .transform((text, context) => {
    const url = scriptUrl(text)
    if (url === '') context.addIssue({ code: 'custom', message: 'must be an http or https URL' })
    return url
  })

export const scriptHashField = z
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
