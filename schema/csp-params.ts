/** @module Parameters of the operations that judge content security policies. */

import { z } from 'zod'
import { param } from './params.ts'

export const policyId = (description: string) =>
  param(
    (error) =>
      z
        .string({ error })
        .toLowerCase()
        .regex(/^[0-9a-f]{32}$/, { error }),
    'the id of a policy from csp-policies, 32 hexadecimal digits',
    description,
  ).meta({ examples: ['0f343b0931126a20f133d67c2b018a3b'] })

export const maxPolicyLength = 8_192

export const policyText = (description: string) =>
  param(
    (error) =>
      z
        .string({ error })
        // Joins several lines, as in a header.
        .overwrite((text) => text.replaceAll(/[\t\n\f\r ]+/g, ' ').replaceAll(/^ (?=.)|(?<=.) $/g, ''))
        .min(1, { error })
        .max(maxPolicyLength, { error })
        .regex(/^[ -~]*$/, { error }),
    `1 to ${maxPolicyLength} characters of printable ASCII and line ends`,
    description,
  )
