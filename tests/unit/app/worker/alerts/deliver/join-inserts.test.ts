import { expect, test } from 'vitest'
import { joinInserts } from '../../../../../../app/worker/alerts/deliver/join-inserts.ts'

test('rows that arrive during an insert are one insert, each resolves after its own, and a failure ends no other', async () => {
  const inserts: { readonly rows: readonly number[]; end(error?: Error): void }[] = []
  const store = joinInserts<number>(
    (rows) =>
      new Promise((resolve, reject) => {
        inserts.push({ rows, end: (error) => (error ? reject(error) : resolve()) })
      }),
  )
  const ended: number[] = []
  const storing = async (row: number) => {
    await store(row)
    ended.push(row)
  }
  const first = storing(1)
  await expect.poll(() => inserts.length).toBe(1)
  const others = Promise.allSettled([storing(2), storing(3)])
  expect(inserts.map(({ rows }) => rows)).toEqual([[1]])
  inserts[0]?.end()
  await first
  await expect.poll(() => inserts.length).toBe(2)
  expect([inserts[1]?.rows, ended]).toEqual([[2, 3], [1]])
  inserts[1]?.end(new Error('full'))
  expect((await others).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  const last = storing(4)
  await expect.poll(() => inserts.length).toBe(3)
  inserts[2]?.end()
  await last
  expect(ended).toEqual([1, 4])
})
