import { expect, test } from 'vitest'
import { parsePolicy, serialisePolicy } from '../../../../../schema/rules/csp/parse-policy.ts'

test.each([
  ['IMG-SRC a.test; img-src b.test', 'img-src a.test'],
  ['img-src\ta.test\n\fb.test', 'img-src a.test b.test'],
  ['img-src a\u000bb; font-src a.test', 'font-src a.test'],
  ['img-src bücher.test; font-src a.test', 'font-src a.test'],
  ['img-src bücher.test; img-src a.test', ''],
  [' ;; img-src ;', 'img-src'],
  ['', ''],
])('%j is %j', (policy, expected) => {
  expect(serialisePolicy(parsePolicy(policy))).toBe(expected)
})
