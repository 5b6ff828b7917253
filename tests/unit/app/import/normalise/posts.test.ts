import { describe, expect, test } from 'vitest'
import { normalised } from '../../../../support/normalised.ts'

describe('a report’s age', () => {
  const day = 86_400_000
  test.each([
    [1_500, 1_500],
    ['1500', 1_500],
    [0.6, 1],
    [-5, 0],
    [undefined, 0],
    ['old', 0],
    [49 * day, 49 * day],
    [1e15, 4_294_967_295],
  ])('an age of %j is %j ms', (age, stored) => {
    const [report] = normalised([{ age, type: 'crash', url: 'https://a.test/', body: {} }])
    expect(report?.ageMs).toBe(stored)
  })
})

test('age ends at the tenant’s retention', () => {
  const [report] = normalised([{ age: 8 * 86_400_000, type: 'crash', url: 'https://a.test/', body: {} }], 7)
  expect(report).toMatchObject({ ageMs: 7 * 86_400_000, retentionDays: 7 })
})

describe('a report’s sample rate', () => {
  const post = (sampleRate: unknown, type = 'crash', body: object = {}) =>
    normalised({ sampleRate, body: [{ type, url: 'https://a.test/', body }] })[0]

  test.each([
    [0.1, { sampleRate: 0.1, weight: 10_000_000 }],
    ['0.5', { sampleRate: 0.5, weight: 2_000_000 }],
    [1, { sampleRate: 1, weight: 1_000_000 }],
    [0.3, { sampleRate: 0.3, weight: 3_333_333 }],
    [0.99999999, { sampleRate: 1, weight: 1_000_000 }],
    [1e-9, { sampleRate: 1e-6, weight: 1_000_000_000_000 }],
    [null, { sampleRate: 1, weight: 1_000_000 }],
  ])('a sample rate of %j by the collector gives the weight', (sampleRate, stored) => {
    expect(post(sampleRate)).toMatchObject(stored)
  })

  test.each([
    [0.5, 2_000_000],
    ['0.25', 4_000_000],
    [0, 1_000_000],
    [2, 1_000_000],
    [-1, 1_000_000],
    [undefined, 1_000_000],
    [0.0001, 10_000_000_000],
    [0.000099, 1_000_000],
    ['0.00005', 1_000_000],
    [1e-300, 1_000_000],
    [Number.MIN_VALUE, 1_000_000],
  ])('a sample rate of %j by the browser replaces the collector’s', (sampling_fraction, weight) => {
    expect(post(0.1, 'network-error', { sampling_fraction })?.weight).toBe(weight)
  })
})
