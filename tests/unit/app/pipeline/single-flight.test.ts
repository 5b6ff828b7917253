import { setImmediate as settled } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { singleFlight } from '../../../../app/pipeline/cache/single-flight.ts'
import { ClientDisconnected } from '../../../../queries/clickhouse/with-timeout.ts'

/** Tasks that wait for their result, each with its signal. */
function createTasks() {
  const started: { resolve: (text: string) => void; signal: AbortSignal }[] = []
  const task = (signal: AbortSignal) => new Promise<string>((resolve) => started.push({ resolve, signal }))
  return { started, task }
}

test('callers of a task in flight share it, and the next caller after its end starts it again', async () => {
  const flights = singleFlight<string>()
  const { started, task } = createTasks()
  const both = [flights('a', task), flights('a', task)]
  const other = flights('b', task)
  expect(started).toHaveLength(2)
  started[0]?.resolve('first')
  started[1]?.resolve('other')
  expect(await Promise.all([...both, other])).toEqual(['first', 'first', 'other'])
  void flights('a', task)
  expect(started).toHaveLength(3)
})

test('a caller joins no task that began before the time it names, but the next one, with all who wait for it', async () => {
  const clock = { now: 10 }
  const flights = singleFlight<string>(() => clock.now)
  const { started, task } = createTasks()
  const first = flights('a', task)
  clock.now = 20
  const joined = flights('a', task, undefined, 10)
  const late = [flights('a', task, undefined, 11), flights('a', task, undefined, 20)]
  expect(started).toHaveLength(1)
  started[0]?.resolve('first')
  expect(await Promise.all([first, joined])).toEqual(['first', 'first'])
  await settled()
  expect(started).toHaveLength(2)
  started[1]?.resolve('second')
  expect(await Promise.all(late)).toEqual(['second', 'second'])
})

test('a task is aborted when the last of its callers aborts, and the next caller starts it again', async () => {
  const flights = singleFlight<string>()
  const { started, task } = createTasks()
  const [one, two] = [new AbortController(), new AbortController()]
  const [first, second] = [flights('a', task, one.signal), flights('a', task, two.signal)]
  one.abort()
  await expect(first).rejects.toBeInstanceOf(ClientDisconnected)
  expect(started[0]?.signal.aborted).toBe(false)
  two.abort()
  await expect(second).rejects.toBeInstanceOf(ClientDisconnected)
  expect(started[0]?.signal.aborted).toBe(true)
  void flights('a', task)
  expect(started).toHaveLength(2)
  expect(started[1]?.signal.aborted).toBe(false)
})

test('a caller without a signal keeps the task running, and gets its result', async () => {
  const flights = singleFlight<string>()
  const { started, task } = createTasks()
  const controller = new AbortController()
  const patient = flights('a', task)
  const aborted = flights('a', task, controller.signal)
  controller.abort()
  await expect(aborted).rejects.toBeInstanceOf(ClientDisconnected)
  expect(started[0]?.signal.aborted).toBe(false)
  started[0]?.resolve('whole')
  expect(await patient).toBe('whole')
})
