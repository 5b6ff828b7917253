import { z } from 'zod'
import { issueTypeNames } from './report-types.ts'

const longest = 256
const error = `must be issue types, comma-separated and at most ${longest} characters, of ${issueTypeNames.join(', ')}`

/** One issue type or several, comma-separated; a repeat adds nothing (contract, GET /v1/issues). */
export const issueTypesParam = z
  .string({ error })
  .max(longest, { error })
  .transform((text) => [...new Set(text.split(','))])
  .pipe(z.array(z.enum(issueTypeNames, { error }), { error }))
  // One order, because a cursor is bound to the set.
  .transform((types) => issueTypeNames.filter((type) => types.includes(type)))
  .meta({
    description: 'Only issues of these report types, comma-separated; every type by default',
    override: {
      type: 'string',
      maxLength: longest,
      pattern: '^[a-z-]+(,[a-z-]+)*$',
      examples: ['csp-violation,coep'],
    },
  })
