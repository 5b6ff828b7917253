import { expect, test } from 'vitest'
import { explainUnknown } from '../../../../app/pipeline/unknown-parameters.ts'

const filter = (name: string) => [name, `${name}.any`, `${name}.not`, `${name}.contains`]

const takes = ['reportType', ...filter('blockedHost'), ...filter('documentHost'), 'noise', 'groupBy', 'from', 'to']

test.each([
  ['blockedhost.any', ' (did you mean blockedHost.any?)'],
  ['blockedHost[any]', ' (did you mean blockedHost.any?)'],
  ['blocked_host', ' (did you mean blockedHost?)'],
  ['group_by', ' (did you mean groupBy?)'],
  ['From', ' (did you mean from?)'],
  ['blokedHost', ' (did you mean blockedHost?)'],
  ['host', ' (did you mean blockedHost or documentHost?)'],
  ['noise.exclude', ' (did you mean noise?)'],
  ['nonsense', ''],
  ['__proto__', ''],
  ['constructor', ''],
  ['', ''],
  ['x'.repeat(33), ''],
])('a 400 on %j has what was probably meant', (name, meant) => {
  expect(explainUnknown([name], takes).split(';')[0]).toBe(
    `This operation has no parameter ${JSON.stringify(name)}${meant}`,
  )
})

test('a 400 has what an operation takes: its filters of several values are described, not listed', () => {
  expect(explainUnknown(['a', 'b'], takes)).toBe(
    'This operation has no parameter "a", "b"; allowed: reportType, noise, groupBy, from, to, and blockedHost, documentHost, each filter x also as x.any (one of several values) and x.not (none of these values), text filters also as x.contains (a substring)',
  )
  expect(explainUnknown(['a'], ['siteId', 'limit'])).toMatch(/; allowed: siteId, limit$/)
  expect(explainUnknown(['a'], ['from', 'siteId', 'siteId.any', 'siteId.not'])).toMatch(
    /siteId, each .* \(none of these values\)$/,
  )
  expect(explainUnknown(['a'], [])).toMatch(/; allowed: none$/)
})

test('only the first four of many unknown parameters have a suggestion', () => {
  expect(explainUnknown(Array(9).fill('From'), takes).match(/did you mean/g)).toHaveLength(4)
})
