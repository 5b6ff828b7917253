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
  .meta({ id: 'CspEffect', description: 'Reports by verdict: whether a policy would have sent them.' })

const finding = z
  .object({
    severity: z.string().meta({ description: 'high, syntax, medium, high_maybe, strict_csp, medium_maybe or info.' }),
    type: z.string(),
    directive: z.string(),
    value: untrusted().nullable(),
    description: z.string().meta({ description: 'For people.' }),
  })
  .meta({ id: 'CspFinding', description: 'A weakness of a policy that csp_evaluator finds.' })

const evaluation = z.object({
  evaluator: z.string().meta({ description: 'Name and version, such as csp_evaluator 1.1.8.' }),
  after: z.array(finding),
})

const issueId = z.string().meta({ description: 'Opens the reports of this directive and host: issues.reports.' })

const advisedSource = z
  .object({
    directive: untrusted(),
    source: untrusted().meta({ description: 'Origin of the blocked URLs, or their keyword or scheme.' }),
    decision: openEnum(cspDecisions),
    reasons: z.array(openEnum([...denyingReasons, ...reviewReasons])),
    expression: untrusted().nullable().meta({ description: 'The source expression; null if none should be added.' }),
    addTo: z.string().nullable().meta({ description: 'The directive that the expression is added to.' }),
    createdFrom: z.string().nullable().meta({ description: 'The directive that addTo is copied from, if it is new.' }),
    knownBy: z.array(openEnum(cspKnownBy)).meta({
      description: 'Who confirms it beside reports, whose every word is a claim; without any it is for review.',
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
    firstSeenEver: dateTimeText.meta({ description: 'Of this directive and host, by reports that expired too.' }),
    issueId,
    paths: z.array(untrusted()).meta({ description: 'Starts of the most reported paths, at most 5.' }),
  })
  .meta({ id: 'CspAdvisedSource' })

export const cspAdvice = z
  .object({
    base: openEnum(cspBases).meta({
      description:
        'Where the policy comes from: the request names it, the last scan was served it, or only reports claim it.',
    }),
    note: z.string().nullable().meta({ description: 'Why nothing is proposed; null unless the base is reported.' }),
    servedPolicyIds: z.array(cspPolicy.shape.id).meta({ description: 'Policies that the last scans were served.' }),
    policy: z
      .object({
        id: cspPolicy.shape.id,
        disposition: openEnum(dispositions),
        text: untrusted(),
        truncated: z.boolean(),
      })
      .nullable()
      .meta({ description: 'The policy that the advice is about; null without reports that quote one.' }),
    proposed: z
      .object({
        text: z.string().meta({ description: 'The policy with the allowed sources; write nonces of your own.' }),
        bytes: count,
        additions: count,
      })
      .nullable()
      .meta({ description: 'Null if nothing is to be added, or the policy’s text was cut, or the base is reported.' }),
    effect: z.object({ before: effect, after: effect }),
    sources: z.array(advisedSource),
    sourceCount: count.meta({ description: 'Of all directives and sources that the policy reports.' }),
    reviewCount: count.meta({ description: 'How many of them wait for a decision of people.' }),
    evaluation: evaluation.extend({
      before: z.array(finding),
      introduced: z.array(finding).meta({ description: 'After, and not before.' }),
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
    governedBy: z.string().nullable().meta({ description: 'The directive whose list decides.' }),
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
      noise: z.object({ reportCount: count }).meta({ description: 'Of the violations.' }),
    }),
    groups: z.array(checkedGroup),
    evaluation: evaluation.extend({ before: z.null() }),
  })
  .meta({ id: 'CspCheck' })

export type CspCheck = z.infer<typeof cspCheck>
export type CspFinding = z.infer<typeof finding>
