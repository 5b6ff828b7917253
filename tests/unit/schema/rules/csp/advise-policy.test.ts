import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { SourceEvidence } from '../../../../../schema/rules/csp/advice-reasons.ts'
import { advisableSources } from '../../../../../schema/rules/csp/advisable-sources.ts'
import { type Advice, advisePolicy } from '../../../../../schema/rules/csp/advise-policy.ts'
import { type ParsedPolicy, parsePolicyLists } from '../../../../../schema/rules/csp/governing-directive.ts'
import { parseRequest } from '../../../../../schema/rules/csp/judge-request.ts'
import {
  detailsOf,
  type JudgedReports,
  judgeSources,
  type SourceDetails,
  type SourceGroup,
  sourceKey,
} from '../../../../../schema/rules/csp/judge-sources.ts'
import type { ObservedRequest } from '../../../../../schema/rules/csp/observed-request.ts'
import { parsePolicy } from '../../../../../schema/rules/csp/parse-policy.ts'
import { observed } from '../../../../support/csp-cases.ts'
import { aPolicy, aRequest } from '../../../../support/csp-policies.ts'
import { numberOfCases } from '../../../../support/number-of-cases.ts'

const day = '2026-11-20T00:00:00.000Z'

const good: SourceEvidence = {
  confidence: 'high',
  pageCount: 5,
  browsers: ['Chrome', 'Firefox'],
  firstSeenEver: 0,
  party: 'third',
  isShared: false,
  isBypass: false,
  scripts: undefined,
  knownBy: ['scan'],
  isRejected: false,
}

/** A report each. */
function groupsOf(requests: readonly ObservedRequest[]) {
  const counted = { policyKey: '1', reportCount: 1, weight: 1_000_000n, noiseCount: 0 }
  const unique = new Map(
    requests.map(({ detail, isDetailCut, ...request }) => [JSON.stringify(request), { request, detail, isDetailCut }]),
  )
  const all = [...unique.values()]
  return {
    groups: all.map(
      ({ request }): SourceGroup => ({
        ...parseRequest({ ...request, detail: undefined, isDetailCut: false }),
        key: sourceKey(request),
        quotes: [counted],
        firstSeen: day,
        lastSeen: day,
      }),
    ),
    details: all.map(
      ({ request, detail = '', isDetailCut }): SourceDetails => ({
        ...request,
        policyKey: counted.policyKey,
        details: [{ ...counted, detail, isDetailCut }],
      }),
    ),
  }
}

interface Given {
  readonly evidence?: Partial<SourceEvidence>
  /** Of workers, where it differs. */
  readonly ofWorkers?: Partial<SourceEvidence>
  readonly limit?: number
  readonly noise?: boolean
}

function advise(policy: string, requests: readonly ObservedRequest[], given: Given = {}) {
  const { groups, details } = groupsOf(requests)
  const noisy = groups.map((group) => ({
    ...group,
    quotes: group.quotes.map((quote) => ({ ...quote, noiseCount: given.noise ? 1 : 0 })),
  }))
  const quoted = parsePolicyLists(policy)
  const judge = (lists: ParsedPolicy): JudgedReports[] =>
    judgeSources([lists], noisy, () => quoted).withDetails(detailsOf(details))
  const judged = judge(parsePolicyLists(policy))
  const advice = advisePolicy({
    policy,
    judged,
    found: advisableSources(judged),
    judgeAgain: judge,
    minConfidence: 'high',
    newSince: Date.parse(day),
    limit: given.limit ?? 50,
    evidenceOf: ({ directive }) => ({
      ...good,
      ...given.evidence,
      ...(directive === 'worker-src' && given.ofWorkers),
    }),
  })
  return { judged, advice }
}

const request = (directive: string, blockedUrl: string, documentUrl = 'https://page.test/p') =>
  observed(documentUrl, { directive, blockedUrl, sample: '' })

const decided = ({ sources }: Advice) =>
  sources.map(({ found, decision, reasons }) => [found.directive, found.source, decision, ...reasons])

describe('the proposed policy', () => {
  const proposed = (policy: string, requests: readonly ObservedRequest[], given?: Given) =>
    advise(policy, requests, given).advice.proposed?.text

  test.each([
    [
      'a list that governs gets the origin',
      "img-src 'self'",
      'img-src',
      'https://a.test/x',
      "img-src 'self' https://a.test",
    ],
    ['a port is written', "img-src 'self'", 'img-src', 'https://a.test:8443/x', "img-src 'self' https://a.test:8443"],
    ["'none' goes", "img-src 'none'", 'img-src', 'https://a.test/x', 'img-src https://a.test'],
    ['an empty list is filled', 'img-src', 'img-src', 'https://a.test/x', 'img-src https://a.test'],
    [
      'a fallback is copied, without what is of scripts alone',
      "default-src 'self' 'nonce-a' 'unsafe-inline' b.test; report-to r",
      ...(['img-src', 'https://a.test/x'] as const),
      "default-src 'self' 'nonce-a' 'unsafe-inline' b.test; report-to r; img-src 'self' b.test https://a.test",
    ],
    [
      'a new list of scripts is script-src, with nonces and keywords',
      "default-src 'nonce-a' 'report-sample'",
      ...(['script-src-elem', 'https://a.test/x'] as const),
      "default-src 'nonce-a' 'report-sample'; script-src 'nonce-a' 'report-sample' https://a.test",
    ],
    [
      'the list of elements, if there is one',
      "script-src 'self'; script-src-elem 'self'",
      ...(['script-src-elem', 'https://a.test/x'] as const),
      "script-src 'self'; script-src-elem 'self' https://a.test",
    ],
    [
      'workers get a list of their own, without nonces',
      "script-src 'self' 'nonce-a'",
      ...(['worker-src', 'https://a.test/x'] as const),
      "script-src 'self' 'nonce-a'; worker-src 'self' https://a.test",
    ],
    [
      'frames get a list of their own',
      'child-src b.test',
      ...(['frame-src', 'https://a.test'] as const),
      'child-src b.test; frame-src b.test https://a.test',
    ],
    ['the page’s own origin is self', "img-src 'none'", 'img-src', 'https://page.test/x', "img-src 'self'"],
    ['data: of an image', "img-src 'self'", 'img-src', 'data', "img-src 'self' data:"],
  ])('%s', (_, policy, directive, blockedUrl, expected) => {
    expect(proposed(policy, [request(directive, blockedUrl)])).toBe(expected)
  })

  test('self only where every report is of its own page', () => {
    const other = request('img-src', 'https://page.test/x', 'https://other.test/')
    expect(proposed("img-src 'none'", [request('img-src', 'https://page.test/x'), other])).toBe(
      'img-src https://page.test',
    )
  })

  test('no more sources than the limit', () => {
    const requests = ['a', 'b', 'c'].map((host) => request('img-src', `https://${host}.test/`))
    expect(proposed("img-src 'none'", requests, { limit: 2 })).toBe('img-src https://a.test https://b.test')
  })

  test('nothing, if nothing is to be added', () => {
    expect(advise("img-src 'none'", [request('img-src', 'https://a.test/x')], { noise: true }).advice.proposed).toBe(
      undefined,
    )
  })
})

test('a worker of blob and a host with an underscore are for review, the latter by the wildcard above it', () => {
  const sources = [request('worker-src', 'blob'), request('img-src', 'https://a_b.cdn.test:8443/x')]
  const { advice } = advise("default-src 'none'", sources)
  expect(advice.sources.map(({ decision, reasons, addition }) => [decision, reasons, addition?.expression])).toEqual([
    ['review', ['underscore_host'], 'https://*.cdn.test:8443'],
    ['review', ['worker_blob'], 'blob:'],
  ])
})

describe('what is denied', () => {
  test.each([
    ['script-src-elem', 'inline', 'inline'],
    ['script-src', 'eval', 'eval'],
    ['script-src', 'wasm-eval', 'wasm_eval'],
    ['require-trusted-types-for', 'trusted-types-sink', 'trusted_types'],
    ['script-src-elem', 'data', 'unsafe_scheme'],
    ['script-src-elem', 'blob', 'unsafe_scheme'],
    ['img-src', 'chrome-extension', 'other_scheme'],
    ['base-uri', 'https://a.test', 'base_uri'],
    ['frame-ancestors', 'https://a.test', 'embedder'],
    ['frame-src', '', 'unknown_source'],
  ])('%s %s: %s', (directive, blockedUrl, reason) => {
    const policy = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
    expect(decided(advise(policy, [request(directive, blockedUrl)]).advice)).toEqual([
      [directive, blockedUrl, 'deny', reason],
    ])
  })

  test.each<[string, string, Given, string]>([
    ['noise', "img-src 'none'", { noise: true }, 'noise'],
    ['a source that the violated policy allows', 'img-src a.test', {}, 'redirect'],
  ])('%s', (_, policy, given, reason) => {
    const { advice } = advise(policy, [request('img-src', 'https://a.test/x')], given)
    expect(decided(advice)).toEqual([['img-src', 'https://a.test', 'deny', reason]])
  })

  test.each<[string, string, Partial<SourceEvidence>, string]>([
    ['a host beside strict-dynamic', "script-src 'strict-dynamic' 'nonce-a'", {}, 'no_effect'],
    ['a source that an operator rejected', "script-src 'none'", { isRejected: true }, 'rejected_source'],
    ['a host of a rejected script', "script-src 'none'", { scripts: 'rejected' }, 'rejected_script'],
  ])('%s', (_, policy, evidence, reason) => {
    const { advice } = advise(policy, [request('script-src-elem', 'https://a.test/x')], { evidence })
    expect(decided(advice)).toEqual([['script-src-elem', 'https://a.test', 'deny', reason]])
  })
})

describe('what people should review', () => {
  test.each<[string, string, Partial<SourceEvidence>, string]>([
    ['low confidence', 'https://a.test/', { confidence: 'medium' }, 'low_confidence'],
    ['a single page', 'https://a.test/', { pageCount: 1 }, 'single_page'],
    ['a single browser', 'https://a.test/', { browsers: ['Chrome'] }, 'single_browser'],
    ['a new third party', 'https://a.test/', { firstSeenEver: Date.parse(day) }, 'new_destination'],
    ['a shared host', 'https://a.test/', { isShared: true }, 'shared_host'],
    ['http', 'http://a.test/', {}, 'insecure'],
    ['an address', 'https://192.0.2.1/', {}, 'ip_address'],
    ['a host with bypasses', 'https://a.test/', { isBypass: true }, 'bypass'],
    ['a claim', 'https://a.test/', { knownBy: [] }, 'claimed_by_reports_alone'],
    ['a script that nobody authorized', 'https://a.test/', { scripts: 'undecided' }, 'unauthorized_script'],
  ])('%s', (_, blockedUrl, evidence, reason) => {
    const { advice } = advise("script-src 'none'", [request('script-src-elem', blockedUrl)], { evidence })
    expect(advice.sources).toMatchObject([{ decision: 'review', reasons: [reason] }])
    expect(advice.proposed).toBe(undefined)
  })

  test('an old name whose list is not known', () => {
    const policy = "script-src 'none'; worker-src 'none'"
    expect(decided(advise(policy, [request('script-src', 'https://a.test/')]).advice)).toEqual([
      ['script-src', 'https://a.test', 'review', 'old_directive'],
    ])
  })

  test('an addition that would silence a source for review', () => {
    const requests = [request('script-src-elem', 'https://a.test/'), request('worker-src', 'https://a.test/')]
    const { advice } = advise("script-src 'none'", requests, { ofWorkers: { pageCount: 1 } })
    expect(decided(advice)).toEqual([
      ['script-src-elem', 'https://a.test', 'review', 'opens_other'],
      ['worker-src', 'https://a.test', 'review', 'single_page'],
    ])
    expect(advice.proposed).toBe(undefined)
  })

  test('not an old name of a list that gets the source for others', () => {
    const requests = [request('script-src-elem', 'https://a.test/'), request('script-src', 'https://a.test/')]
    const { advice } = advise("script-src 'none'", requests)
    expect(decided(advice)).toEqual([
      ['script-src', 'https://a.test', 'allow'],
      ['script-src-elem', 'https://a.test', 'allow'],
    ])
    expect(advice.proposed?.additions).toHaveLength(1)
  })
})

describe('advice on random reports', () => {
  const anEvidence = fc.record({
    confidence: fc.constantFrom('high' as const, 'medium' as const),
    pageCount: fc.integer({ min: 1, max: 3 }),
  })

  test('allows no source that stays a violation, and opens no violation of others', () => {
    fc.assert(
      fc.property(
        aPolicy,
        aPolicy,
        fc.boolean(),
        fc.array(fc.tuple(aRequest, anEvidence), { minLength: 1, maxLength: 5 }),
        (policy, another, isQuoted, found) => {
          const { groups, details } = groupsOf(found.map(([one]) => one))
          const quoted = parsePolicyLists(isQuoted ? policy : another)
          const judge = (lists: ParsedPolicy) =>
            judgeSources([lists], groups, () => quoted).withDetails(detailsOf(details))
          const judged = judge(parsePolicyLists(policy))
          const advice = advisePolicy({
            policy,
            judged,
            judgeAgain: judge,
            minConfidence: 'high',
            newSince: 1,
            limit: 50,
            found: advisableSources(judged),
            evidenceOf: ({ directive, source }) => ({
              ...good,
              ...found.find(([one]) => one.directive === directive && one.source === source)?.[1],
            }),
          })
          const decisions = new Map(
            advice.sources.map(({ found: one, decision }) => [`${one.directive} ${one.source}`, decision]),
          )
          advice.judged.forEach(({ group, verdict }, index) => {
            const decision = decisions.get(`${group.directive} ${group.source}`)
            if (decision === 'allow') expect(verdict).not.toBe('violation')
            else if (judged[index]?.verdict === 'violation') expect(verdict).not.toBe('silent')
          })
          const before = parsePolicy(policy)
          const after = parsePolicy(advice.proposed?.text ?? policy)
          const changed = new Set(advice.proposed?.additions.map(({ addTo }) => addTo))
          for (const [name, values] of before) if (!changed.has(name)) expect(after.get(name)).toEqual(values)
        },
      ),
      { numRuns: numberOfCases(2_000) },
    )
  })
})
