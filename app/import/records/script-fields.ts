/** @module Fields of records about scripts; an error message follows the field's name. */

import { z } from 'zod'
import { scriptHash } from '../../../schema/rules/scripts/script-hash.ts'
import { scriptUrl } from '../../../schema/rules/scripts/script-url.ts'

/** Text that the function normalises; '' of it is an error. */
function normalisedText(maxLength: number, normalise: (text: string) => string, error: string) {
  return z
    .string()
    .min(1)
    .max(maxLength)
    .transform((text, context) => {
      const value = normalise(text)
      if (value === '') context.addIssue({ code: 'custom', message: error })
      return value
    })
}

/** Identity of a script: its URL without user, query and fragment. */
export const scriptUrlField = normalisedText(8_192, scriptUrl, 'must be an http or https URL')

export const scriptHashField = normalisedText(
  160,
  scriptHash,
  'must be a SHA-256, SHA-384 or SHA-512 such as sha256-<base64>',
)
