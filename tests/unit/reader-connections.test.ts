import { describe, expect, it } from 'vitest'
import type { Connection, Native } from '../../clickhouse/engine/native.ts'
import { createReaderConnections } from '../../clickhouse/engine/reader-connections.ts'

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

/** Work that lasts until it is ended. */
function lasting() {
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  return { end, work: (connection: Connection) => ended.then(() => connection) }
}

const same = async (connection: Connection) => connection

describe('readers’ connections', () => {
  it('are set up before they are lent, and each to one at a time', async () => {
    const { native, ran } = fakeNative()
    const readers = createReaderConnections(native, 'path', ['SET ROLE reader', 'SET x = 1'], { ready: 3, used: 9 })
    readers.refill()
    await settle()
    const { end, work } = lasting()
    const lent = Array.from({ length: 10 }, () => readers.use('a', work))
    await settle()
    end()
    expect(new Set(await Promise.all(lent)).size).toBe(10)
    expect(new Set(ran)).toEqual(new Set(['SET ROLE reader;\nSET x = 1']))
  })

  it('serve again the requests that set the same names, and no others', async () => {
    const { native } = fakeNative()
    const readers = createReaderConnections(native, 'path', [], { ready: 2, used: 9 })
    const first = await readers.use('a', same)
    expect(await readers.use('b', same)).not.toBe(first)
    expect(await readers.use('a', same)).toBe(first)
  })

  it('serve nobody again after an error', async () => {
    const { native, open } = fakeNative()
    const readers = createReaderConnections(native, 'path', [], { ready: 0, used: 9 })
    const first = await readers.use('a', same)
    await expect(readers.use('a', () => Promise.reject(new Error('no answer')))).rejects.toThrow('no answer')
    await settle()
    expect(open.has(first)).toBe(false)
    expect(await readers.use('a', same)).not.toBe(first)
  })

  it('are never more than the bounds, however often they are refilled', async () => {
    const { native, open } = fakeNative()
    const readers = createReaderConnections(native, 'path', [], { ready: 3, used: 2 })
    for (let times = 0; times < 5; times++) readers.refill()
    expect(open.size).toBe(3)
    for (const shape of ['a', 'b', 'c', 'd', 'e']) await readers.use(shape, same)
    await settle()
    expect(open.size).toBe(5)
  })

  it('that fail to be set up are closed, and the next to ask meets the error', async () => {
    let failing = true
    const { native, open } = fakeNative(() => failing)
    const readers = createReaderConnections(native, 'path', [], { ready: 2, used: 2 })
    readers.refill()
    await settle()
    expect(open.size).toBe(0)
    await expect(readers.use('a', same)).rejects.toThrow('no role')
    failing = false
    await readers.use('a', same)
    expect(open.size).toBeGreaterThan(0)
  })

  it('are closed with the engine, even while they are being opened, and none is opened after', async () => {
    const { native, open } = fakeNative()
    const readers = createReaderConnections(native, 'path', [], { ready: 2, used: 2 })
    await readers.use('a', same)
    readers.refill()
    const closed = readers.close()
    expect(open.size).toBe(3)
    await closed
    readers.refill()
    expect(open.size).toBe(0)
  })
})
