/** @module Examples of the responses about policies, for the reference. */

import type { z } from 'zod'
import type { CspCheck, cspAdvice } from './csp-advice.ts'

const counts = (reportCount: number) => ({ reportCount, estimatedReportCount: reportCount })

const window = { from: '2026-09-01T00:00:00.000Z', to: '2026-10-01T00:00:00.000Z' }
const seen = { firstSeen: '2026-09-03T08:12:44.120Z', lastSeen: '2026-09-30T21:40:03.007Z' }
const [imageIssue, inlineIssue] = ['8d5e957f29789348', '1f0a6c22d94b7e05']

const finding = {
  severity: 'high',
  type: 'missing_directives',
  directive: 'object-src',
  value: null,
  description: 'Missing object-src allows the injection of plugins which can execute JavaScript.',
}

const evaluator = 'csp_evaluator 1.1.8'

const image: z.output<typeof cspAdvice>['sources'][number] = {
  directive: 'img-src',
  source: 'https://img.partner.example',
  decision: 'allow',
  reasons: [],
  expression: 'https://img.partner.example',
  addTo: 'img-src',
  createdFrom: 'default-src',
  knownBy: ['scan'],
  hints: [],
  party: 'third',
  ...counts(412),
  noiseCount: 3,
  pageCount: 24,
  browsers: ['Chrome', 'Firefox'],
  confidence: 'high',
  ...seen,
  firstSeenEver: '2026-06-11T10:00:00.000Z',
  issueId: imageIssue,
  paths: ['/banners/autumn.png'],
}

const inline: typeof image = {
  directive: 'script-src-elem',
  source: 'inline',
  decision: 'deny',
  reasons: ['inline'],
  expression: null,
  addTo: null,
  createdFrom: null,
  knownBy: [],
  hints: [
    { kind: 'hash', value: "'sha256-5KYv+PUboo5h+0+YAtGRPbwv5d/QxzHslP4YGnUaxRw='", sample: 'go()' },
    { kind: 'nonce', value: "'nonce-*'", sample: null },
  ],
  party: 'none',
  ...counts(88),
  noiseCount: 0,
  pageCount: 2,
  browsers: ['Chrome', 'Firefox', 'Safari'],
  confidence: 'high',
  ...seen,
  firstSeenEver: seen.firstSeen,
  issueId: inlineIssue,
  paths: [],
}

export const adviceExample: { readonly data: z.output<typeof cspAdvice>; readonly truncated: boolean } = {
  data: {
    base: 'served',
    note: null,
    servedPolicyIds: ['0f343b0931126a20f133d67c2b018a3b'],
    reviewCount: 0,
    policy: {
      id: '0f343b0931126a20f133d67c2b018a3b',
      disposition: 'report',
      text: "default-src 'self'; script-src 'self' 'nonce-*'",
      truncated: false,
    },
    proposed: {
      text: "default-src 'self'; script-src 'self' 'nonce-*'; img-src 'self' https://img.partner.example",
      bytes: 87,
      additions: 1,
    },
    effect: {
      before: { violation: counts(500), silent: counts(0), unknown: { ...counts(0), byReason: [] } },
      after: { violation: counts(88), silent: counts(412), unknown: { ...counts(0), byReason: [] } },
    },
    sources: [image, inline],
    sourceCount: 2,
    evaluation: { evaluator, before: [finding], after: [finding], introduced: [] },
    window,
  },
  truncated: false,
}

const group = { governedBy: 'script-src', noiseCount: 0, lastSeen: seen.lastSeen }

export const checkExample: { readonly data: CspCheck; readonly groupCount: number; readonly truncated: boolean } = {
  data: {
    policy: {
      text: 'img-src https:; script-src self',
      warnings: [{ directive: 'script-src', value: 'self', kind: 'missing_quotes' }],
    },
    totals: {
      violation: { ...counts(88), sourceCount: 1 },
      silent: { ...counts(412), sourceCount: 1 },
      unknown: { ...counts(0), sourceCount: 0 },
      unknownReasons: [],
      noise: { reportCount: 0 },
    },
    groups: [
      {
        directive: 'script-src-elem',
        source: 'inline',
        verdict: 'violation',
        reason: null,
        ...group,
        matchedBy: null,
        ...counts(88),
        issueId: inlineIssue,
      },
      {
        directive: 'img-src',
        source: 'https://img.partner.example',
        verdict: 'silent',
        reason: null,
        ...group,
        governedBy: 'img-src',
        matchedBy: 'https:',
        ...counts(412),
        noiseCount: 3,
        issueId: imageIssue,
      },
    ],
    evaluation: { evaluator, before: null, after: [finding] },
  },
  groupCount: 2,
  truncated: false,
}
