import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ComparedHeader, comparedHeaders } from '../../../../../schema/enumerations.ts'
import { headerForm } from '../../../../../schema/rules/scans/header-form.ts'
import { numberOfCases } from '../../../../support/number-of-cases.ts'

const csp = 'content-security-policy'

describe('the comparable form of a header', () => {
  test.each<[says: string, header: ComparedHeader, value: string, form: string]>([
    [
      'a policy’s directives sorted',
      csp,
      "script-src 'self'; default-src 'none'",
      "default-src 'none'; script-src 'self'",
    ],
    [
      'every nonce as a wildcard',
      csp,
      "script-src 'nonce-r4nd0m==' 'self'; style-src 'nonce-b'",
      "script-src 'nonce-*' 'self'; style-src 'nonce-*'",
    ],
    [
      'directives in one space, without the last semicolon',
      csp,
      "  IMG-SRC\t*   https://a.test ;;default-src 'self';",
      "default-src 'self'; img-src * https://a.test",
    ],
    ['a path in its own case', csp, 'img-src https://CDN.test/Logo.PNG', 'img-src https://cdn.test/Logo.PNG'],
    [
      'endpoints sorted, without their queries',
      'reporting-endpoints',
      'b="https://B.test/r?id=1,2" ,  a="https://a.test/?x"',
      'a="https://a.test/?*", b="https://b.test/r?*"',
    ],
    ['a policy in the page', 'content-security-policy-meta', "b 'nonce-x'; a", "a; b 'nonce-*'"],
    ['a policy that only reports', 'content-security-policy-report-only', 'b x; a y', 'a y; b x'],
    [
      'two policies on one line as two lines',
      csp,
      "script-src a, default-src 'self'; b c",
      "b c; default-src 'self'\nscript-src a",
    ],
    [
      'several policies sorted',
      csp,
      "script-src 'self'\r\ndefault-src 'self'\n",
      "default-src 'self'\nscript-src 'self'",
    ],
    [
      'permissions sorted',
      'permissions-policy',
      'Geolocation=(),  camera=(self "https://A.test")',
      'camera=(self "https://a.test"), geolocation=()',
    ],
    ['lower case', 'x-frame-options', 'SAMEORIGIN', 'sameorigin'],
    [
      'one space',
      'strict-transport-security',
      ' Max-Age=31536000;\t includeSubDomains ',
      'max-age=31536000; includesubdomains',
    ],
    [
      'a list in its order, which counts',
      'referrer-policy',
      'No-Referrer, strict-origin',
      'no-referrer, strict-origin',
    ],
    [
      'lines sorted, the same ones too',
      'x-frame-options',
      'SameOrigin\nDENY\nsameorigin',
      'deny\nsameorigin\nsameorigin',
    ],
    ['a header without a value', 'x-content-type-options', '', ''],
  ])('a header’s comparable form has %s', (_, header, value, form) => {
    expect(headerForm(header, value)).toBe(form)
  })

  test('a header’s comparable form is its own form, for any text', () => {
    const piece = fc.constantFrom(
      'a',
      "'self'",
      "'nonce-Ab'",
      "'SHA256-aB='",
      ';',
      ',',
      ' ',
      '\t',
      '\n',
      '\r',
      'İ',
      'Σ',
      'ΑΣ',
    )
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(piece).map((pieces) => pieces.join('')),
    )
    fc.assert(
      fc.property(fc.constantFrom(...comparedHeaders), text, (header, value) => {
        const form = headerForm(header, value)
        expect(headerForm(header, form)).toBe(form)
      }),
      { numRuns: numberOfCases(500) },
    )
  })

  test('policies that differ in one source have different forms', () => {
    const before = headerForm(csp, "default-src 'self'; script-src a, script-src b")
    expect(headerForm(csp, "default-src 'self'; script-src a, script-src c")).not.toBe(before)
  })
})
