import { describe, expect, it } from 'vitest'
import type { Connection, Native } from '../../clickhouse/engine/native.ts'
import { createSpareConnections } from '../../clickhouse/engine/spare-connections.ts'

/** Connections by number, what ran on them, and which are open. */
function fakeNative(fails: () => boolean = () => false) {
  const open = new Set<Connection>()
  const ran: string[] = []
  let opened = 0
  const native = {
    CreateConnection() {
      const connection = { number: ++opened } as unknown as Connection
      open.add(connection)
      return connection
    },
    CloseConnection(connection: Connection) {
      if (!open.delete(connection)) throw new Error('closed twice')
    },
    async QueryAsyncConnection(_: Connection, text: string) {
      await new Promise((resolve) => setImmediate(resolve))
      if (fails()) throw new Error('no role')
      ran.push(text)
    },
  } as unknown as Native
  return { native, open, ran }
}

const settle = () => new Promise((resolve) => setTimeout(resolve, 5))

describe('spare connections', () => {
  it('are set up before they are taken, and each is given once', async () => {
    const { native, ran } = fakeNative()
    const spares = createSpareConnections(native, 'path', ['SET ROLE reader', 'SET x = 1'], 3)
    spares.refill()
    await settle()
    const taken = await Promise.all(Array.from({ length: 10 }, () => spares.take()))
    expect(new Set(taken).size).toBe(10)
    expect(ran).toEqual(Array(10).fill('SET ROLE reader;\nSET x = 1'))
  })

  it('are never more than the bound, however often they are refilled', async () => {
    const { native, open } = fakeNative()
    const spares = createSpareConnections(native, 'path', [], 3)
    for (let times = 0; times < 5; times++) spares.refill()
    expect(open.size).toBe(3)
    await settle()
    spares.refill()
    expect(open.size).toBe(3)
  })

  it('that fail to be set up are closed, and the next taker meets the error', async () => {
    let failing = true
    const { native, open } = fakeNative(() => failing)
    const spares = createSpareConnections(native, 'path', [], 2)
    spares.refill()
    await settle()
    expect(open.size).toBe(0)
    await expect(spares.take()).rejects.toThrow('no role')
    failing = false
    await spares.take()
    expect(open.size).toBe(1)
  })

  it('are closed with the engine, even while they are being opened, and none is opened after', async () => {
    const { native, open } = fakeNative()
    const spares = createSpareConnections(native, 'path', [], 2)
    spares.refill()
    const closed = spares.close()
    expect(open.size).toBe(2)
    await closed
    spares.refill()
    expect(open.size).toBe(0)
  })
})
