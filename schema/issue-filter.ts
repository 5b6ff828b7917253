import { z } from 'zod'
import { addition } from './additions.ts'
import { issueTypeNames } from './report-types.ts'

const idError = 'must be the id of an issue, 16 lower-case hexadecimal digits'

export const issueIdParam = addition(
  z
    .string({ error: idError })
    .regex(/^[\da-f]{16}$/, { error: idError })
    .meta({
      description: 'Only reports of this issue; send its siteId and its reportType too',
      examples: ['8d5e957f29789348'],
    }),
)

const maxLength = 256
const error = `must be issue types, comma-separated and at most ${maxLength} characters, of ${issueTypeNames.join(', ')}`

export const issueTypesParam = z
  .string({ error })
  .max(maxLength, { error })
  .transform((text) => [...new Set(text.split(','))])
  .pipe(z.array(z.enum(issueTypeNames, { error }), { error }))
  // One order, because a cursor is bound to the set.
  .transform((types) => issueTypeNames.filter((type) => types.includes(type)))
  .meta({
    description: 'Only issues of these report types, comma-separated; every type by default',
    override: {
      type: 'string',
      maxLength,
      pattern: '^[a-z-]+(,[a-z-]+)*$',
      examples: ['csp-violation,coep'],
    },
  })
