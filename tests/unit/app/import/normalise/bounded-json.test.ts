import fc from 'fast-check'
import { expect, test } from 'vitest'
import { boundedJson } from '../../../../../app/import/normalise/bounded-json.ts'
import { createUrlMask } from '../../../../../app/import/normalise/url-mask.ts'
import { numberOfCases } from '../../../../support/number-of-cases.ts'

const bounded = (members: object, limit = 2_048, mask = createUrlMask({})) =>
  boundedJson(new Map(Object.entries(members)), limit, mask)

test('members are JSON text, without those that are missing', () => {
  expect(JSON.parse(bounded({ a: 1, b: { c: ['d'] }, e: null, f: '' }))).toEqual({ a: 1, b: { c: ['d'] } })
  expect([bounded({}), bounded({ a: null })]).toEqual(['', ''])
})

test('the largest members are dropped first, and named', () => {
  const text = bounded({ small: 1, large: 'x'.repeat(2_050), larger: 'y'.repeat(3_000) })
  expect(JSON.parse(text)).toEqual({ small: 1, '…': ['larger', 'large'] })
})

test('URLs of visitors are masked, and users of URLs removed', () => {
  const members = {
    a: 'see https://u:p@h.test/?token=9f3a',
    b: { c: '/reset/9f3a4c', 'https://h.test/?d=9': 1 },
    '/?e=9': 1,
  }
  const masked = bounded(members, 2_048, createUrlMask({ urls: 'names' }))
  expect(JSON.parse(masked)).toEqual({
    a: 'see https://h.test/?token=',
    b: { c: '/reset/*', 'https://h.test/?d=': 1 },
    '/?e=': 1,
  })
  expect(JSON.parse(bounded(members)).a).toBe('see https://h.test/?token=9f3a')
})

test('any members are an object within the limit, of which every kept member is as it was', () => {
  const some = fc.dictionary(fc.string({ maxLength: 80 }), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 80 })
  fc.assert(
    fc.property(some, fc.integer({ min: 100, max: 3_000 }), (members, limit) => {
      const text = bounded(members, limit)
      expect(text.length).toBeLessThanOrEqual(limit)
      const { '…': dropped = [], ...kept } = text === '' ? {} : JSON.parse(text)
      const present = Object.entries(members).filter(([, value]) => value !== null && value !== '')
      if (dropped.length === 0)
        expect(Object.keys(kept).length).toBe(new Map(present.map(([name]) => [name.slice(0, 64), 1])).size)
    }),
    { numRuns: numberOfCases(300) },
  )
})

test('of a hundred thousand members only the first are read', () => {
  const members = Array.from({ length: 100_000 }, (_, index) => [`m${index}`, 'a@b'] as const)
  const { '…': dropped, ...kept } = JSON.parse(bounded(Object.fromEntries(members)))
  expect(kept).toEqual(Object.fromEntries(members.slice(0, 64)))
  expect(dropped).toEqual(members.slice(-8).map(([name]) => name))
})

test('a value of any depth does not throw', () => {
  let deep: unknown = 1
  for (let level = 0; level < 100_000; level++) deep = [deep]
  expect(bounded({ deep, a: 1 })).toContain('"a":1')
})
