import { z } from 'zod'
import {
  cspBases,
  cspDecisions,
  cspHintKinds,
  cspKnownBy,
  cspParties,
  cspVerdictReasons,
  cspVerdicts,
  cspWarningKinds,
  denyingReasons,
  reviewReasons,
} from '../csp-verdicts.ts'
import { dispositions, issueConfidences } from '../enumerations.ts'
import { count, dateTimeText, openEnum, untrusted } from './common.ts'
import { cspPolicy } from './csp-policy.ts'

const counts = z.object({ reportCount: count, estimatedReportCount: count })

const unknownReasons = z.array(counts.extend({ reason: openEnum(cspVerdictReasons) }))

const effect = z
  .object({ violation: counts, silent: counts, unknown: counts.extend({ byReason: unknownReasons }) })
  .meta({ id: 'CspEffect', description: 'Reports by verdict on whether a policy would have caused them.' })

const finding = z
  .object({
    severity: z.string().meta({ description: 'high, syntax, medium, high_maybe, strict_csp, medium_maybe or info.' }),
    type: z.string(),
    directive: z.string(),
    value: untrusted().nullable(),
    description: z.string().meta({ description: 'For people.' }),
  })
  .meta({ id: 'CspFinding', description: 'A weakness in a policy, found by csp_evaluator.' })

const evaluation = z.object({
  evaluator: z.string().meta({ description: 'Name and version of the evaluator, such as csp_evaluator 1.1.8.' }),
  after: z.array(finding),
})

const issueId = z
  .string()
  .meta({ description: 'Use it with issues.reports to read the reports of this directive and host.' })

const advisedSource = z
  .object({
    directive: untrusted(),
    source: untrusted().meta({ description: 'Origin, keyword or scheme of the blocked URLs.' }),
    decision: openEnum(cspDecisions),
    reasons: z.array(openEnum([...denyingReasons, ...reviewReasons])),
    expression: untrusted().nullable().meta({ description: 'The source expression to add; null if none.' }),
    addTo: z.string().nullable().meta({ description: 'The directive to add the expression to.' }),
    createdFrom: z
      .string()
      .nullable()
      .meta({ description: 'If addTo is a new directive: the directive to copy it from.' }),
    knownBy: z.array(openEnum(cspKnownBy)).meta({
      description: 'Confirmations other than reports, which anyone can send. A source without any needs review.',
    }),
    hints: z.array(z.object({ kind: openEnum(cspHintKinds), value: untrusted(), sample: untrusted().nullable() })),
    party: openEnum(cspParties),
    reportCount: count,
    estimatedReportCount: count,
    noiseCount: count,
    pageCount: count.meta({ description: 'Pages with reports of this directive and host.' }),
    browsers: z.array(z.string()).meta({ description: 'Browser families that reported this directive and host.' }),
    confidence: openEnum(issueConfidences),
    firstSeen: dateTimeText,
    lastSeen: dateTimeText,
    firstSeenEver: dateTimeText.meta({
      description: 'First report of this directive and host, including expired reports.',
    }),
    issueId,
    paths: z.array(untrusted()).meta({ description: 'Prefixes of the most reported paths, at most 5.' }),
  })
  .meta({ id: 'CspAdvisedSource' })

export const cspAdvice = z
  .object({
    base: openEnum(cspBases).meta({
      description: 'Source of the policy: the request, the last scan of a page, or only reports.',
    }),
    note: z
      .string()
      .nullable()
      .meta({ description: 'The reason why nothing is proposed; null unless base is reported.' }),
    servedPolicyIds: z
      .array(cspPolicy.shape.id)
      .meta({ description: 'Policies that pages served in their last scans.' }),
    policy: z
      .object({
        id: cspPolicy.shape.id,
        disposition: openEnum(dispositions),
        text: untrusted(),
        truncated: z.boolean(),
      })
      .nullable()
      .meta({ description: 'The policy that the advice applies to; null if no report quotes one.' }),
    proposed: z
      .object({
        text: z.string().meta({ description: 'The policy with the allowed sources added; insert your own nonces.' }),
        bytes: count,
        additions: count,
      })
      .nullable()
      .meta({ description: 'Null if there is nothing to add, the policy’s text was truncated, or base is reported.' }),
    effect: z.object({ before: effect, after: effect }),
    sources: z.array(advisedSource),
    sourceCount: count.meta({ description: 'Number of all reported combinations of directive and source.' }),
    reviewCount: count.meta({ description: 'Number of sources that need a decision.' }),
    evaluation: evaluation.extend({
      before: z.array(finding),
      introduced: z
        .array(finding)
        .meta({ description: 'Weaknesses in the proposed policy that the current policy does not have.' }),
    }),
    window: z.object({ from: dateTimeText, to: dateTimeText }),
  })
  .meta({ id: 'CspAdvice' })

const total = counts.extend({ sourceCount: count })

const checkedGroup = z
  .object({
    directive: untrusted(),
    source: untrusted(),
    verdict: openEnum(cspVerdicts),
    reason: openEnum(cspVerdictReasons).nullable(),
    governedBy: z.string().nullable().meta({ description: 'The directive that decides the verdict.' }),
    matchedBy: untrusted().nullable().meta({ description: 'The source expression that allows it.' }),
    reportCount: count,
    estimatedReportCount: count,
    noiseCount: count,
    lastSeen: dateTimeText,
    issueId,
  })
  .meta({ id: 'CspCheckedGroup' })

export const cspCheck = z
  .object({
    policy: z.object({
      text: z.string(),
      warnings: z.array(
        z.object({ directive: z.string(), value: z.string().nullable(), kind: openEnum(cspWarningKinds) }),
      ),
    }),
    totals: z.object({
      violation: total,
      silent: total,
      unknown: total,
      unknownReasons,
      noise: z.object({ reportCount: count }).meta({ description: 'Violations classified as noise.' }),
    }),
    groups: z.array(checkedGroup),
    evaluation: evaluation.extend({ before: z.null() }),
  })
  .meta({ id: 'CspCheck' })

export type CspCheck = z.infer<typeof cspCheck>
export type CspFinding = z.infer<typeof finding>
