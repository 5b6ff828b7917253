import { z } from 'zod'
import { addition } from './additions.ts'
import { type IssueConfidence, issueConfidences } from './enumerations.ts'
import { issueIdPattern } from './issue-id.ts'
import { isNoise, noiseParam } from './noise-filter.ts'
import { flag, textFilter } from './params.ts'
import { issueTypeNames } from './report-types.ts'
import { conditionsOf, type ValueCondition, valueFilters } from './value-filters.ts'
import { repeated } from './value-params.ts'

const idError = 'must be the id of an issue, 16 lower-case hexadecimal digits'

export const issueIdParam = addition(
  z
    .string({ error: idError })
    .regex(issueIdPattern, { error: idError })
    .meta({
      description: 'Only reports of this issue; send its siteId and reportType too',
      examples: ['8d5e957f29789348'],
    }),
)

const maxLength = 256
const error = `must be a comma-separated list of issue types with at most ${maxLength} characters: ${issueTypeNames.join(', ')}`

export const issueTypesParam = z
  .string({ error })
  .max(maxLength, { error })
  .transform((text) => [...new Set(text.split(','))])
  .pipe(z.array(z.enum(issueTypeNames, { error }), { error }))
  // One order, because a cursor is bound to the set.
  .transform((types) => issueTypeNames.filter((type) => types.includes(type)))
  .meta({
    description: 'Only issues of these report types, comma-separated (default: all)',
    override: {
      type: 'string',
      maxLength,
      pattern: '^[a-z-]+(,[a-z-]+)*$',
      examples: ['csp-violation,coep'],
    },
  })

const subject = { kind: 'text', maxLength: 256 } as const
const targetHost = { kind: 'text', maxLength: 255, lowerCase: true } as const
const aboutSubject = 'the subject: a CSP directive, or the subject of reports of another type'
const aboutHost = 'the host of the blocked resource or source file'

/** Every issue has one. */
const confidenceValue = z.enum(issueConfidences, { error: `must be one of ${issueConfidences.join(', ')}` })

/** Filters that the contract lacks. */
export const issueFilterAdditions = {
  subject: addition(textFilter(subject.maxLength, `Filters by ${aboutSubject}`).meta({ examples: ['img-src'] })),
  ...valueFilters('subject', subject, { about: aboutSubject, example: 'img-src' }),
  targetHost: addition(
    textFilter(targetHost.maxLength, `Filters by ${aboutHost}`)
      .toLowerCase()
      .meta({ examples: ['cdn.example.com'] }),
  ),
  ...valueFilters('targetHost', targetHost, { about: aboutHost, example: 'cdn.example.com' }),
  'confidence.any': addition(
    repeated(confidenceValue, 'Only issues with this confidence; repeat it for several', 'high'),
  ),
  noise: noiseParam,
  new: addition(
    flag('If true, only issues first seen within the window, counting expired reports too; each has `firstSeenEver`'),
  ),
}

/** Conditions other than the window, the site and the types. */
export interface IssueConditions {
  readonly subject?: readonly ValueCondition[]
  readonly targetHost?: readonly ValueCondition[]
  readonly confidence?: readonly IssueConfidence[] | undefined
  /** Counts only noise, or only other reports. */
  readonly noise?: boolean | undefined
  /** Only issues that are new within the window. */
  readonly isNew?: boolean
}

const [subjectConditions, hostConditions] = [conditionsOf('subject'), conditionsOf('targetHost')]

type IssueQuery = {
  readonly [Name in keyof typeof issueFilterAdditions]: z.output<(typeof issueFilterAdditions)[Name]>
}

export const toIssueConditions = (query: IssueQuery): IssueConditions => ({
  subject: subjectConditions(query),
  targetHost: hostConditions(query),
  confidence: query['confidence.any'] as readonly IssueConfidence[] | undefined,
  noise: isNoise(query.noise),
  isNew: query.new === 'true',
})
