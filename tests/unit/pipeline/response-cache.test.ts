import { expect, test } from 'vitest'
import { CallerLeft } from '../../../queries/attempts.ts'
import { lookMilliseconds } from '../../../queries/rules/import-mark.ts'
import { Problem } from '../../../schema/problems.ts'
import { createAsker } from '../../support/cache-fixture.ts'

test('an answer is kept from the second time, and for five minutes', async () => {
  const { later, ask } = createAsker()
  expect([await ask('a'), await ask('a'), await ask('a')]).toEqual([1, 1, 0])
  later(299_000)
  expect(await ask('a')).toBe(0)
  later(2_000)
  expect([await ask('a'), await ask('a')]).toEqual([1, 0])
})

test('a question that nobody asked for five minutes counts as new', async () => {
  const { later, ask } = createAsker()
  expect([await ask('a'), await ask('a')]).toEqual([1, 1])
  later(301_000)
  expect([await ask('a'), await ask('a'), await ask('a')]).toEqual([1, 1, 0])
})

test('what is kept is bounded: the longest asked for least recently goes first, and what is huge is not kept', async () => {
  const { ask } = createAsker()
  const large = 'x'.repeat(1_900_000)
  for (const question of ['a', 'a']) await ask(question, { text: large })
  expect(await ask('a', { text: large })).toBe(0)
  for (let others = 0; others < 40; others++) await ask(`other ${others % 20}`, { text: large })
  expect(await ask('a', { text: large })).toBe(1)

  const huge = 'x'.repeat(2_100_000)
  expect([await ask('b', { text: huge }), await ask('b', { text: huge }), await ask('b', { text: huge })]).toEqual([
    1, 1, 1,
  ])
})

test('questions alone are bounded too', async () => {
  const { ask } = createAsker()
  await ask('a')
  await ask('a')
  for (let others = 0; others < 5_000; others++) await ask(`${'x'.repeat(8_000)} ${others}`)
  expect(await ask('a')).toBe(1)
})

test('an answer that an import overtook is not given again once its end is seen', async () => {
  const { ask, importOne, later } = createAsker()
  await ask('a')
  await ask('a', { text: 'from before the import', meanwhile: importOne })
  expect(await ask('a', { text: 'from before the import' })).toBe(0)
  later(lookMilliseconds + 1)
  expect([await ask('a', { text: 'with it' }), await ask('a', { text: 'with it' })]).toEqual([1, 0])
})

test('a question is asked, and nothing kept of it, while the ledger cannot be read', async () => {
  const { ask, failWith, later } = createAsker()
  await ask('a')
  await ask('a')
  failWith(new Problem('upstream_unavailable'))
  later(6_000)
  for (let times = 0; times < 4; times++) expect(await ask('a')).toBe(1)
  failWith(undefined)
  later(6_000)
  expect([await ask('a'), await ask('a')]).toEqual([1, 0])
})

test.each([new CallerLeft(), new TypeError('ours')])('%o ends the question too', async (error) => {
  const { ask, failWith } = createAsker()
  await ask('a')
  failWith(error)
  await expect(ask('a')).rejects.toBe(error)
})

test('nothing is kept for a tenant with more than 500 steps of imports in an hour', async () => {
  const { ask, end, importOne, later } = createAsker()
  for (let imports = 0; imports < 250; imports++) importOne()
  expect([await ask('a'), await ask('a'), await ask('a')]).toEqual([1, 1, 0])
  end()
  later(lookMilliseconds + 1)
  expect([await ask('a'), await ask('a'), await ask('a')]).toEqual([1, 1, 1])
})
