import { expect, test } from 'vitest'
import { shareUnderWay } from '../../../app/pipeline/cache/single-flight.ts'
import { CallerLeft } from '../../../queries/attempts.ts'

/** Questions that wait to be answered, each with the signal it was asked with. */
function questions() {
  const asked: { answer: (text: string) => void; allLeft: AbortSignal }[] = []
  const ask = (allLeft: AbortSignal) => new Promise<string>((answer) => asked.push({ answer, allLeft }))
  return { asked, ask }
}

test('the same question under way is asked once, and is forgotten when it is answered', async () => {
  const share = shareUnderWay<string>()
  const { asked, ask } = questions()
  const both = [share('a', ask), share('a', ask)]
  const other = share('b', ask)
  expect(asked).toHaveLength(2)
  asked[0]?.answer('first')
  asked[1]?.answer('other')
  expect(await Promise.all([...both, other])).toEqual(['first', 'first', 'other'])
  void share('a', ask)
  expect(asked).toHaveLength(3)
})

test('a question ends when the last who asked it leaves, and whoever asks then asks anew', async () => {
  const share = shareUnderWay<string>()
  const { asked, ask } = questions()
  const [one, two] = [new AbortController(), new AbortController()]
  const [first, second] = [share('a', ask, one.signal), share('a', ask, two.signal)]
  one.abort()
  await expect(first).rejects.toBeInstanceOf(CallerLeft)
  expect(asked[0]?.allLeft.aborted).toBe(false)
  two.abort()
  await expect(second).rejects.toBeInstanceOf(CallerLeft)
  expect(asked[0]?.allLeft.aborted).toBe(true)
  void share('a', ask)
  expect(asked).toHaveLength(2)
  expect(asked[1]?.allLeft.aborted).toBe(false)
})

test('one who cannot leave keeps the question up, and is answered', async () => {
  const share = shareUnderWay<string>()
  const { asked, ask } = questions()
  const leaving = new AbortController()
  const staying = share('a', ask)
  const left = share('a', ask, leaving.signal)
  leaving.abort()
  await expect(left).rejects.toBeInstanceOf(CallerLeft)
  expect(asked[0]?.allLeft.aborted).toBe(false)
  asked[0]?.answer('whole')
  expect(await staying).toBe('whole')
})
