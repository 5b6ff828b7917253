import { expect, test } from 'vitest'
import { createAskSince } from '../../app/ask-since.ts'

/** Questions that wait to be answered, in the order in which they were asked. */
function questions() {
  const asked: { answer: (text: string) => void; fail: (error: Error) => void }[] = []
  const ask = () => new Promise<string>((answer, fail) => asked.push({ answer, fail }))
  return { asked, ask, askSince: createAskSince<string>() }
}

test('who comes while a question is under way waits for one that is asked after it, with all who came since', async () => {
  const { asked, ask, askSince } = questions()
  const first = askSince('a', ask)
  const [second, third] = [askSince('a', ask), askSince('a', ask)]
  expect(asked).toHaveLength(1)
  asked[0]?.answer('before')
  expect(await first).toBe('before')
  expect(asked).toHaveLength(2)
  const fourth = askSince('a', ask)
  asked[1]?.answer('since')
  expect(await Promise.all([second, third])).toEqual(['since', 'since'])
  asked[2]?.answer('last')
  expect(await fourth).toBe('last')
})

test('nothing is kept once all are answered', async () => {
  const { asked, ask, askSince } = questions()
  for (const text of ['first', 'second']) {
    const answer = askSince('a', ask)
    asked.at(-1)?.answer(text)
    expect(await answer).toBe(text)
  }
})

test('other questions do not wait', () => {
  const { asked, ask, askSince } = questions()
  void askSince('a', ask)
  void askSince('b', ask)
  expect(asked).toHaveLength(2)
})

test('a failure is that of all who wait, and whoever comes then asks anew', async () => {
  const { asked, ask, askSince } = questions()
  const both = [askSince('a', ask), askSince('a', ask)]
  asked[0]?.fail(new Error('gone'))
  for (const answer of both) await expect(answer).rejects.toThrow('gone')
  expect(asked).toHaveLength(1)
  const next = askSince('a', ask)
  asked[1]?.answer('here')
  expect(await next).toBe('here')
})
