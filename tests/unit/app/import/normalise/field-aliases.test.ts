import { expect, test } from 'vitest'
import { normalisedBody } from '../../../../support/normalised.ts'

test('the effective directive comes before the violated one, in lower case', () => {
  const directives = { violatedDirective: 'default-src', effectiveDirective: 'Script-Src-Elem' }
  expect(normalisedBody('csp-violation', directives).directive).toBe('script-src-elem')
})

const otherUrls = [
  'openerURL',
  'openeeURL',
  'openedWindowURL',
  'otherDocumentURL',
  'otherURL',
  'nextResponseURL',
  'previousResponseURL',
  'initialPopupURL',
  'referrer',
]

test.each(otherUrls)('the other origin of coop is read from %s where it comes first', (member) => {
  const later = otherUrls.slice(otherUrls.indexOf(member) + 1).map((name) => [name, 'https://later.test/'])
  const earlier = otherUrls.slice(0, otherUrls.indexOf(member)).map((name) => [name, ''])
  const body = { ...Object.fromEntries([...later, ...earlier]), type: 'x', [member]: 'https://first.test/a?b' }
  expect(normalisedBody('coop', body).otherOrigin).toBe('https://first.test')
})

test.each([
  ['camelCase', { sourceFile: 'https://a.test/x.js', lineNumber: 3, policyId: 'usb' }],
  ['camelCase with capitals', { sourceFile: 'https://a.test/x.js', lineNumber: 3, policyID: 'usb' }],
  ['snake_case', { source_file: 'https://a.test/x.js', line_number: 3, policy_id: 'usb' }],
  ['kebab-case', { 'source-file': 'https://a.test/x.js', 'line-number': 3, 'policy-id': 'usb' }],
])('fields are read in %s', (_name, body) => {
  expect(normalisedBody('permissions-policy-violation', body)).toMatchObject({
    sourceFile: 'https://a.test/x.js',
    lineNumber: 3,
    feature: 'usb',
  })
})
