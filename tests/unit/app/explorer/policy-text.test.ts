/** @module The page's policies, held against the rules of the API's advice. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { around, type Form, forms, toForm } from '../../../../app/explorer/views/policy/header-forms.ts'
import { groupPolicies, type QuotedPolicy } from '../../../../app/explorer/views/policy/policy-groups.ts'
import * as page from '../../../../app/explorer/views/policy/policy-text.ts'
import { governingList, parseLists } from '../../../../schema/rules/csp/governing-directive.ts'
import { parsePolicy } from '../../../../schema/rules/csp/parse-policy.ts'
import { additionTarget, proposePolicy } from '../../../../schema/rules/csp/propose-policy.ts'
import { aPolicy, aRequest, aUrlSource } from '../../../support/csp-policies.ts'
import { numberOfCases } from '../../../support/number-of-cases.ts'

const aDirective = aRequest.map(({ directive }) => directive)

test('a policy with sources added is the text that the advice proposes', () => {
  const sources = fc.array(fc.tuple(aDirective, aUrlSource), { maxLength: 5 })
  fc.assert(
    fc.property(aPolicy, sources, (policy, chosen) => {
      const directives = parsePolicy(policy)
      const additions = chosen.flatMap(([directive, expression]) => {
        const addTo = additionTarget(parseLists(directives), directive)
        expect(additionTarget(page.parsePolicy(policy), directive)).toBe(addTo)
        expect(addTo === undefined).toBe(governingList(parseLists(directives), directive) === undefined)
        return addTo === undefined ? [] : [{ addTo, expression }]
      })
      const shown = page.withAdditions(policy, additions)
      expect(page.toText(shown)).toBe(proposePolicy(directives, additions))
    }),
    { numRuns: numberOfCases(300) },
  )
})

test('what is added is marked, the rest is not, and no character leaves the header', () => {
  const shown = page.withAdditions("default-src 'self'; img-src 'none'\u0000; x\u0001 y", [
    { addTo: 'img-src', expression: 'https://a.test' },
    { addTo: 'connect-src', expression: 'https://b.test' },
  ])
  const added = shown.flatMap(({ values }) => values.filter(({ isAdded }) => isAdded).map(({ text }) => text))
  expect(added).toEqual(['https://a.test', "'self'", 'https://b.test'])
  expect(page.toText(shown)).toBe("default-src 'self'; img-src https://a.test; connect-src 'self' https://b.test")
  expect(page.unprintable(shown)).toEqual(["'none'\u0000", 'x\u0001'])
})

test.each<[Form, string]>([
  ['Header', `Content-Security-Policy: img-src $a 50% {x}`],
  ['nginx', 'add_header Content-Security-Policy "img-src %24a 50% {x}" always;'],
  ['Apache', 'Header always set Content-Security-Policy "img-src %%24a 50%% {x}"'],
  ['Caddy', String.raw`header Content-Security-Policy "img-src $a 50% \{x}"`],
  [
    'Express',
    `app.use((request, response, next) => {\n  response.set('Content-Security-Policy', "img-src $a 50% {x}")\n  next()\n})`,
  ],
])('the text for %s is the same around marked parts', (form, expected) => {
  const policy = 'img-src $a 50% {x}'
  expect(toForm(form, 'enforce', policy)).toBe(expected)
  const { start, end } = around(form, 'enforce')
  expect(`${start}${forms[form].encode(policy)}${end}`).toBe(expected)
})

describe('quoted policies', () => {
  const quoted = (
    id: string,
    policy: string,
    reportCount: number,
    disposition: QuotedPolicy['disposition'] = 'enforce',
  ): QuotedPolicy => ({ id, policy, reportCount, disposition, firstSeen: '', lastSeen: '' })

  test('are one group where they differ in hosts and report addresses alone, with what is each one’s own', () => {
    const groups = groupPolicies([
      quoted('a', "default-src 'self'; report-uri /a; script-src 'self' https://a.test", 5),
      quoted('b', "default-src 'self'; report-to csp; script-src 'self' https://b.test", 7),
      quoted('c', "default-src 'self'; script-src 'self'", 1, 'report'),
      quoted('d', 'img-src *', 20),
    ])
    expect(groups.map(({ members }) => members.map(({ id }) => id))).toEqual([['d'], ['b', 'a'], ['c']])
    expect(groups[1]).toMatchObject({
      reportCount: 12,
      differs: ['report-uri', 'script-src', 'report-to'],
      common: "default-src 'self'",
      members: [
        {
          own: [
            { name: 'script-src', values: ['https://b.test'] },
            { name: 'report-to', values: ['csp'] },
          ],
        },
        {
          own: [
            { name: 'report-uri', values: ['/a'] },
            { name: 'script-src', values: ['https://a.test'] },
          ],
        },
      ],
    })
  })

  test('are each in one group, and common and own parts are the whole policy', () => {
    fc.assert(
      fc.property(fc.array(aPolicy, { maxLength: 6 }), (policies) => {
        const all = policies.map((policy, at) => quoted(`${at}`, policy, at))
        const groups = groupPolicies(all)
        const members = groups.flatMap(({ members }) => members)
        expect(members).toHaveLength(all.length)
        for (const { common, differs, members } of groups) {
          for (const { policy } of members) {
            const directives = parsePolicy(policy)
            const names = [...parsePolicy(common).keys(), ...differs.filter((name) => directives.has(name))]
            expect(names.sort()).toEqual([...directives.keys()].sort())
          }
        }
      }),
      { numRuns: numberOfCases(100) },
    )
  })
})
