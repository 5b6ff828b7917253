import { expect, test } from 'vitest'
import { lookMilliseconds } from '../../queries/rules/import-mark.ts'
import { Problem } from '../../schema/problems.ts'
import { createAsker } from '../support/kept-asker.ts'

test('one look at the ledger serves a tenant for half a second, and no other tenant', async () => {
  const { ask, marks, later } = createAsker()
  const questions = ['a', 'b']
  for (const question of [...questions, ...questions, ...questions]) await ask(question)
  expect(marks()).toBe(1)
  for (const tenantId of ['other', 'other']) await ask('c', { tenantId })
  expect(marks()).toBe(2)
  later(499)
  expect(await ask('a')).toBe(0)
  expect(marks()).toBe(2)
  later(2)
  for (const question of questions) expect(await ask(question)).toBe(0)
  expect(marks()).toBe(3)
})

test('what stands by the latest look is known at once: not of another tenant, nor once the look or the answer is too old', async () => {
  const { ask, standing, later } = createAsker()
  await ask('a')
  expect(standing('a')).toBeUndefined()
  await ask('a')
  expect([standing('a'), standing('b'), standing('a', 'other')]).toEqual(['answer', undefined, undefined])
  later(lookMilliseconds + 1)
  expect(standing('a')).toBeUndefined()
  for (let waited = 0; waited < 299_000; waited += 1_000) {
    await ask('a')
    expect(standing('a')).toBe('answer')
    later(1_000)
  }
  later(2_000)
  await ask('b')
  await ask('b')
  expect([standing('a'), standing('b')]).toEqual([undefined, 'answer'])
})

test('nothing stands while an import is under way, nor what it overtook when it is over', async () => {
  const { ask, standing, begin, end, later } = createAsker()
  for (let times = 0; times < 2; times++) await ask('a')
  begin()
  later(lookMilliseconds + 1)
  expect(await ask('a')).toBe(1)
  expect(standing('a')).toBeUndefined()
  end()
  later(lookMilliseconds + 1)
  expect(await ask('a', { text: 'with it' })).toBe(1)
  expect(standing('a')).toBe('with it')
})

test('a look serves half a second from before it began, however long it takes', async () => {
  const { ask, marks, holdLooks, later } = createAsker()
  for (let times = 0; times < 3; times++) await ask('a')
  later(501)
  const release = holdLooks()
  const first = ask('a')
  later(499)
  const second = ask('a')
  expect(marks()).toBe(2)
  later(2)
  const third = ask('a')
  expect(marks()).toBe(3)
  release()
  expect(await Promise.all([first, second, third])).toEqual([0, 0, 0])
})

test('a look that failed is that of all who wait for it, and none is made again for a while', async () => {
  const { ask, marks, failWith, later } = createAsker()
  const questions = ['a', 'b', 'c', 'd']
  for (const question of [...questions, ...questions]) await ask(question)
  failWith(new Problem('upstream_unavailable'))
  later(lookMilliseconds + 1)
  const looksBefore = marks()
  for (let times = 0; times < 2; times++) await Promise.all(questions.map((question) => ask(question)))
  expect(marks() - looksBefore).toBe(1)
})
