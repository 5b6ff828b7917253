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

test('a failure is that of those who waited for it alone', async () => {
  const { asked, ask, askSince } = questions()
  const first = askSince('a', ask)
  const second = askSince('a', ask)
  asked[0]?.fail(new Error('gone'))
  await expect(first).rejects.toThrow('gone')
  asked[1]?.answer('here')
  expect(await second).toBe('here')
  const third = askSince('a', ask)
  asked[2]?.fail(new Error('gone again'))
  await expect(third).rejects.toThrow('gone again')
  void askSince('a', ask)
  expect(asked).toHaveLength(4)
})
