import { setImmediate as settled } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { lookMilliseconds } from '../../../queries/rules/import-mark.ts'
import { Problem } from '../../../schema/problems.ts'
import { createAsker } from '../../support/cache-fixture.ts'

test('one look at the ledger serves a tenant for half a second, and no other tenant', async () => {
  const { ask, marks, later } = createAsker()
  const questions = ['a', 'b']
  for (const question of [...questions, ...questions, ...questions]) await ask(question)
  expect(marks()).toBe(1)
  for (const tenantId of ['other', 'other']) await ask('c', { tenantId })
  expect(marks()).toBe(2)
  later(349)
  expect(await ask('a')).toBe(0)
  expect(marks()).toBe(2)
  later(152)
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

/** A question whose answer is kept, by a look whose time is nearly over. */
async function createNearlyOver() {
  const asker = createAsker()
  for (let times = 0; times < 2; times++) await asker.ask('a')
  asker.later(lookMilliseconds - 1)
  return asker
}

test('the next look is begun before the time of one is over, so that none waits for it', async () => {
  const { standing, marks, later } = await createNearlyOver()
  for (let looks = 2; looks < 6; looks++) {
    expect([standing('a'), standing('a')]).toEqual(['answer', 'answer'])
    await settled()
    expect(marks()).toBe(looks)
    later(340)
    expect(standing('a')).toBe('answer')
    expect(marks()).toBe(looks)
    later(lookMilliseconds - 341)
  }
})

test('a look made ahead serves half a second from before it began too', async () => {
  const { standing, holdLooks, later } = await createNearlyOver()
  const release = holdLooks()
  expect(standing('a')).toBe('answer')
  later(lookMilliseconds + 1)
  release()
  await settled()
  expect(standing('a')).toBeUndefined()
})

test('what a look ahead finds counts at once', async () => {
  const { standing, begin } = await createNearlyOver()
  begin()
  expect(standing('a')).toBe('answer')
  await settled()
  expect(standing('a')).toBeUndefined()
})

test('a look ahead that fails ends what stands, and none is made again for a while', async () => {
  const { ask, standing, failWith, marks, later } = await createNearlyOver()
  failWith(new Problem('upstream_unavailable'))
  expect(standing('a')).toBe('answer')
  await settled()
  expect(standing('a')).toBeUndefined()
  const looksBefore = marks()
  failWith(undefined)
  later(4_900)
  expect(await ask('a')).toBe(1)
  expect(marks()).toBe(looksBefore)
})

test('an error of a look ahead is heard by whoever looks next', async () => {
  const { ask, standing, failWith, later } = await createNearlyOver()
  failWith(new TypeError('ours'))
  expect(standing('a')).toBe('answer')
  await settled()
  later(2)
  await expect(ask('a')).rejects.toThrow('ours')
})

test('a look ahead that ends after a later one does not take its place', async () => {
  const { ask, standing, holdLooks, begin, later } = await createNearlyOver()
  const release = holdLooks()
  expect(standing('a')).toBe('answer')
  later(2)
  begin()
  const asked = ask('a')
  release()
  expect(await asked).toBe(1)
  await settled()
  expect(standing('a')).toBeUndefined()
})
