import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { contentOf } from '../../app/pipeline/answer-data.ts'
import { createKeptAnswers } from '../../app/pipeline/kept-answers.ts'
import { CallerLeft } from '../../queries/attempts.ts'
import type { Read } from '../../queries/query.ts'
import { type ImportStep, lookMilliseconds } from '../../queries/rules/import-mark.ts'
import { Problem } from '../../schema/problems.ts'

/** Asks through answers of its own; tells how often the question itself was asked. */
function asker() {
  const steps: ImportStep[] = []
  let marks = 0
  let failure: Error | undefined
  let held: Promise<void> | undefined
  const clock = { now: 1 }
  const answers = createKeptAnswers(() => clock.now)
  const read: Read = async ({ row }) => {
    marks++
    await held
    if (failure) throw failure
    return steps.map((step) => row.parse(step))
  }
  let times = 0
  async function ask(
    question: string,
    { text = 'answer', tenantId = 'tenant', meanwhile = () => {} } = {},
  ): Promise<number> {
    const before = times
    const content = contentOf(text)
    const standing = answers.standing(question, tenantId)
    const { content: answer, kept } = await answers.answer({
      question,
      tenantId,
      read,
      async ask() {
        times++
        meanwhile()
        return content
      },
    })
    expect(answer.plain).toBe(text)
    expect(kept).toBe(times === before)
    if (standing) expect(kept && standing).toBe(answer)
    return times - before
  }
  /** The clock is read once a millisecond. */
  async function later(milliseconds: number): Promise<void> {
    clock.now += milliseconds
    await sleep(2)
  }

  /** An import from beginning to end. */
  function importOne(): void {
    const token = `${steps.length}`
    for (const state of ['started', 'done']) {
      steps.push({ token, state, recordedAt: new Date(steps.length).toISOString() })
    }
  }

  function failWith(error: Error | undefined): void {
    failure = error
  }

  /** Until what it returns is called. */
  function holdLooks(): () => void {
    let release = () => {}
    held = new Promise((resolve) => {
      release = resolve
    })
    return () => release()
  }

  return { later, ask, holdLooks, importOne, failWith, marks: () => marks }
}

test('an answer is kept from the second time, and for five minutes', async () => {
  const { later, ask } = asker()
  expect([await ask('a'), await ask('a'), await ask('a')]).toEqual([1, 1, 0])
  await later(299_000)
  expect(await ask('a')).toBe(0)
  await later(2_000)
  expect([await ask('a'), await ask('a')]).toEqual([1, 0])
})

test('a question that nobody asked for five minutes counts as new', async () => {
  const { later, ask } = asker()
  expect([await ask('a'), await ask('a')]).toEqual([1, 1])
  await later(301_000)
  expect([await ask('a'), await ask('a'), await ask('a')]).toEqual([1, 1, 0])
})

test('what is kept is bounded: the longest asked for least recently goes first, and what is huge is not kept', async () => {
  const { ask } = asker()
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
  const { ask } = asker()
  await ask('a')
  await ask('a')
  for (let others = 0; others < 5_000; others++) await ask(`${'x'.repeat(8_000)} ${others}`)
  expect(await ask('a')).toBe(1)
})

test('one look at the ledger serves a tenant for half a second, and no other tenant', async () => {
  const { ask, marks, later } = asker()
  const questions = ['a', 'b']
  for (const question of [...questions, ...questions, ...questions]) await ask(question)
  expect(marks()).toBe(1)
  for (const tenantId of ['other', 'other']) await ask('c', { tenantId })
  expect(marks()).toBe(2)
  await later(499)
  expect(await ask('a')).toBe(0)
  expect(marks()).toBe(2)
  await later(2)
  for (const question of questions) expect(await ask(question)).toBe(0)
  expect(marks()).toBe(3)
})

test('a look serves half a second from before it began, however long it takes', async () => {
  const { ask, marks, holdLooks, later } = asker()
  for (let times = 0; times < 3; times++) await ask('a')
  await later(501)
  const release = holdLooks()
  const first = ask('a')
  await later(499)
  const second = ask('a')
  expect(marks()).toBe(2)
  await later(2)
  const third = ask('a')
  expect(marks()).toBe(3)
  release()
  expect(await Promise.all([first, second, third])).toEqual([0, 0, 0])
})

test('an answer that an import overtook is not given again once its end is seen', async () => {
  const { ask, importOne, later } = asker()
  await ask('a')
  await ask('a', { text: 'from before the import', meanwhile: importOne })
  expect(await ask('a', { text: 'from before the import' })).toBe(0)
  await later(lookMilliseconds + 1)
  expect([await ask('a', { text: 'with it' }), await ask('a', { text: 'with it' })]).toEqual([1, 0])
})

test('a question is asked, and nothing kept of it, while the ledger cannot be read', async () => {
  const { ask, failWith, later } = asker()
  await ask('a')
  await ask('a')
  failWith(new Problem('upstream_unavailable'))
  await later(6_000)
  for (let times = 0; times < 4; times++) expect(await ask('a')).toBe(1)
  failWith(undefined)
  await later(6_000)
  expect([await ask('a'), await ask('a')]).toEqual([1, 0])
})

test('a look that failed is that of all who wait for it, and none is made again for a while', async () => {
  const { ask, marks, failWith, later } = asker()
  const questions = ['a', 'b', 'c', 'd']
  for (const question of [...questions, ...questions]) await ask(question)
  failWith(new Problem('upstream_unavailable'))
  await later(lookMilliseconds + 1)
  const looksBefore = marks()
  for (let times = 0; times < 2; times++) await Promise.all(questions.map((question) => ask(question)))
  expect(marks() - looksBefore).toBe(1)
})

test.each([new CallerLeft(), new TypeError('ours')])('%o ends the question too', async (error) => {
  const { ask, failWith } = asker()
  await ask('a')
  failWith(error)
  await expect(ask('a')).rejects.toBe(error)
})
