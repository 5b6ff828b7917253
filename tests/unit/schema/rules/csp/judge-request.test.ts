import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { comparableForm } from '../../../../../schema/rules/csp/csp-comparable-form.ts'
import { parsePolicyLists } from '../../../../../schema/rules/csp/governing-directive.ts'
import { judgeRequest, parseRequest } from '../../../../../schema/rules/csp/judge-request.ts'
import type { ObservedRequest } from '../../../../../schema/rules/csp/observed-request.ts'
import { browserCases, cspFacts, observed } from '../../../../support/csp-cases.ts'
import { aPolicy, aRequest, aUrlSource } from '../../../../support/csp-policies.ts'
import { numberOfCases } from '../../../../support/number-of-cases.ts'

const judge = (policy: string, quoted: string | undefined, request: ObservedRequest) =>
  judgeRequest(
    parsePolicyLists(policy),
    quoted === undefined ? undefined : parsePolicyLists(quoted),
    parseRequest(request),
  )

const isRedirect = (url: string) => url.includes('/redir?')

describe('the verdict of a policy over a past report', () => {
  test.each(cspFacts())('$source: $policy, of $request.blockedUrl: $expected', (fact) => {
    const { verdict, reason } = judge(fact.policy, fact.quoted, observed(fact.documentUrl, fact.request))
    expect(verdict).toBe(fact.expected)
    if (fact.reason !== undefined) expect(reason).toBe(fact.reason)
  })

  test('the verdict is never the opposite of what Chromium did, but for the targets of redirects', () => {
    const counts = { agree: 0, unknown: 0, redirect: 0 }
    const opposite = browserCases().filter(({ policy, quoted, documentUrl, request, observed: did }) => {
      const { verdict } = judge(policy, quoted, observed(documentUrl, request))
      if (verdict === did) counts.agree++
      else if (verdict === 'unknown') counts.unknown++
      else if (verdict === 'silent' && isRedirect(request.blockedUrl)) counts.redirect++
      else return true
      return false
    })
    expect(opposite).toEqual([])
    expect(counts.agree).toBeGreaterThan(2_200)
    expect(counts.redirect).toBeLessThanOrEqual(8)
  })

  test('a report is never silent under the policy that it quotes', () => {
    fc.assert(
      fc.property(aPolicy, aRequest, (policy, request) => {
        const { verdict, reason } = judge(policy, policy, request)
        expect(verdict === 'silent' && reason !== 'no_directive').toBe(false)
      }),
      { numRuns: numberOfCases(2_000) },
    )
  })

  test('a scheme, a host or a keyword of URLs more never makes a violation of a silent report', () => {
    fc.assert(
      fc.property(aPolicy, aPolicy, aRequest, aUrlSource, fc.nat(20), (policy, quoted, request, source, at) => {
        const directives = policy.split(';')
        const index = at % directives.length
        const more = directives.map((text, own) => (own === index ? `${text} ${source}` : text)).join(';')
        // `'none'` beside a source is nothing, and a source beside it opens what was shut: no violation either.
        const [before, after] = [judge(policy, quoted, request), judge(more, quoted, request)]
        expect([before.verdict, after.verdict]).not.toEqual(['silent', 'violation'])
      }),
      { numRuns: numberOfCases(2_000) },
    )
  })

  test('a policy that allows every URL reports none of http and https, but for redirects', () => {
    const all = ['default-src', 'base-uri', 'form-action'].map((name) => `${name} *`).join('; ')
    fc.assert(
      fc.property(aPolicy, aRequest, (quoted, request) => {
        if (!/^https?:/.test(request.source) || request.directive === 'frame-ancestors') return
        const { verdict, reason } = judge(all, quoted, request)
        if (verdict !== 'silent') expect(['redirect', 'quoted_policy', 'directive']).toContain(reason)
      }),
      { numRuns: numberOfCases(2_000) },
    )
  })

  test('the order of directives, white space and the case of names, keywords and hosts decide nothing', () => {
    fc.assert(
      fc.property(aPolicy, aPolicy, aRequest, (policy, quoted, request) => {
        expect(judge(comparableForm(policy), comparableForm(quoted), request)).toMatchObject({
          verdict: judge(policy, quoted, request).verdict,
          reason: judge(policy, quoted, request).reason,
        })
      }),
      { numRuns: numberOfCases(2_000) },
    )
  })

  test('without its detail a verdict is that of every detail, or needs one', () => {
    fc.assert(
      fc.property(aPolicy, aPolicy, aRequest, (policy, quoted, request) => {
        const unread = judge(policy, quoted, { ...request, detail: undefined })
        if (unread.reason === 'detail') return
        const { verdict, reason } = unread
        expect(judge(policy, quoted, request)).toMatchObject({ verdict, reason })
      }),
      { numRuns: numberOfCases(2_000) },
    )
  })
})

test("a repeated 'none' is 'none'", () => {
  const request = observed('https://page.test/', { directive: 'default-src', blockedUrl: '', sample: '' })
  for (const policy of ["default-src 'none'", "default-src 'none' 'NONE'", 'default-src']) {
    expect(judge(policy, 'default-src', request)).toMatchObject({ verdict: 'violation', reason: null })
  }
})

describe('what hides the cause', () => {
  const image = observed('https://page.test/', { directive: 'img-src', blockedUrl: 'https://a.test/x', sample: '' })

  test('without the quoted policy a source that matches is silent, and a nonce is unknown', () => {
    expect(judge('img-src a.test', undefined, image).verdict).toBe('silent')
    const script = { ...image, directive: 'script-src-elem' }
    expect(judge("script-src 'nonce-a'", undefined, script)).toMatchObject({ verdict: 'unknown', reason: 'nonce' })
  })

  test('a path longer than the stored segments is unknown where its rest decides', () => {
    const deep = observed('https://page.test/', {
      directive: 'img-src',
      sample: '',
      blockedUrl: 'https://a.test/1/2/3/4/5.png',
    })
    const quoted = "img-src 'none'"
    expect(judge('img-src a.test/1/2/3/', quoted, deep).verdict).toBe('silent')
    expect(judge('img-src a.test/1/2/3/4/', quoted, deep)).toMatchObject({ verdict: 'unknown', reason: 'path' })
    expect(judge('img-src a.test/1/2/3/4/5.png', quoted, deep)).toMatchObject({ verdict: 'unknown', reason: 'path' })
    expect(judge('img-src a.test/1/2/3', quoted, deep).verdict).toBe('violation')
    expect(judge('img-src a.test/2/', quoted, deep).verdict).toBe('violation')
  })
})
