import { expect, test } from 'vitest'
import { createSlots } from '../../clickhouse/engine/slots.ts'

const { signal } = new AbortController()
const full = { code: 202 }

test('as many run and wait as was said, and whoever comes then is refused', async () => {
  const slots = createSlots(1, 1)
  const release = await slots.take(signal)
  const waiting = slots.take(signal)
  await expect(slots.take(signal)).rejects.toMatchObject(full)
  release()
  const releaseNext = await waiting
  const next = slots.take(signal)
  await expect(slots.take(signal)).rejects.toMatchObject(full)
  releaseNext()
  const releaseLast = await next
  releaseLast()
  await slots.idle()
})

test('whoever leaves the queue makes room for another', async () => {
  const slots = createSlots(1, 1)
  const release = await slots.take(signal)
  const leaving = new AbortController()
  const left = slots.take(leaving.signal)
  leaving.abort()
  await expect(left).rejects.toMatchObject({ code: 394 })
  const waiting = slots.take(signal)
  release()
  const releaseNext = await waiting
  releaseNext()
  await slots.idle()
})

test('a place is given back once, however often its holder says so', async () => {
  const slots = createSlots(1, 0)
  const release = await slots.take(signal)
  release()
  release()
  await slots.take(signal)
  await expect(slots.take(signal)).rejects.toMatchObject(full)
})
