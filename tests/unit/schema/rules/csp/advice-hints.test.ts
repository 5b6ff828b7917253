import { expect, test } from 'vitest'
import { hintsOf } from '../../../../../schema/rules/csp/advice-hints.ts'
import type { AdvisedSource } from '../../../../../schema/rules/csp/advise-policy.ts'

const hintsFor = (...samples: readonly string[]) => {
  const advised = { found: { directive: 'script-src-elem' }, reasons: ['inline'] } as unknown as AdvisedSource
  const details = samples.map((detail) => ({ source: 'inline', detail, isDetailCut: false, weight: 1n }))
  return hintsOf(advised, details).map(({ kind }) => kind)
}

test('a javascript: URL has a hint of its own, and neither a hash nor a nonce', () => {
  expect(hintsFor('javascript:void(0)')).toEqual(['javascript_url'])
  expect(hintsFor('go()', ' JavaScript:go()')).toEqual(['javascript_url', 'hash', 'nonce'])
  expect(hintsFor('go()')).toEqual(['hash', 'nonce'])
  expect(hintsFor('')).toEqual(['report_sample'])
})
