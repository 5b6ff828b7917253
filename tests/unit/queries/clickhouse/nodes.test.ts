import { describe, expect, test } from 'vitest'
import { createNodes, nodeUrls } from '../../../../queries/clickhouse/nodes.ts'
import { TimedOut } from '../../../../queries/clickhouse/with-timeout.ts'

const fault = (code: string) => Object.assign(new Error(code), { code })
const never = new AbortController().signal
const alive = async () => true

describe('the URL of each host', () => {
  test.each([
    [
      'http://user:p%40w@a:8123,b:8124/reports',
      ['http://user:p%40w@a:8123/reports', 'http://user:p%40w@b:8124/reports'],
    ],
    ['https://a,b', ['https://a', 'https://b']],
    ['http://user:pw@127.0.0.1:8123/default', ['http://user:pw@127.0.0.1:8123/default']],
    ['not a url', ['not a url']],
  ])('of %s', (urls, expected) => {
    expect(nodeUrls(urls)).toEqual(expected)
  })
})

describe('a read', () => {
  test.each(['ECONNREFUSED', 'ECONNRESET', 'UND_ERR_SOCKET', '32', '198', '279', '242', '999'])(
    'goes to the next node after %s, and stays there',
    async (code) => {
      const asked: string[] = []
      const nodes = createNodes(['a', 'b', 'c'], alive)
      const task = async (node: string) => {
        asked.push(node)
        if (node === 'a') throw fault(code)
        return node
      }
      expect(await nodes.read(task, never)).toBe('b')
      expect(await nodes.read(task, never)).toBe('b')
      expect(asked).toEqual(['a', 'b', 'b'])
    },
  )

  test('asks each node once, and fails with the last fault', async () => {
    const asked: string[] = []
    const nodes = createNodes(['a', 'b'], alive)
    const task = async (node: string) => {
      asked.push(node)
      throw fault(node === 'a' ? 'ECONNREFUSED' : '279')
    }
    await expect(nodes.read(task, never)).rejects.toMatchObject({ code: '279' })
    expect(asked).toEqual(['a', 'b'])
  })

  test('that ClickHouse refuses is refused once', async () => {
    const asked: string[] = []
    const nodes = createNodes(['a', 'b'], alive)
    const task = async (node: string) => {
      asked.push(node)
      throw fault('62')
    }
    await expect(nodes.read(task, never)).rejects.toMatchObject({ code: '62' })
    expect(asked).toEqual(['a'])
  })

  test('goes on after a probe that timed out, and not after its own deadline', async () => {
    const nodes = createNodes(['a', 'b'], alive)
    const timedOut = async (node: string) => {
      if (node === 'a') throw new TimedOut('a')
      return node
    }
    expect(await nodes.read(timedOut, never)).toBe('b')
    const ended = AbortSignal.abort(new TimedOut('whole'))
    await expect(createNodes(['a', 'b'], alive).read(timedOut, ended)).rejects.toThrow('a')
  })

  test('leaves a node that is frozen', async () => {
    const nodes = createNodes(['a', 'b'], async (node) => node !== 'a')
    const task = (node: string, signal: AbortSignal) =>
      node === 'b'
        ? Promise.resolve(node)
        : new Promise<string>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    expect(await nodes.read(task, never)).toBe('b')
  })
})

describe('a write', () => {
  test.each(['ECONNREFUSED', '202'])('goes to the next node where it did not begin on the first: %s', async (code) => {
    const nodes = createNodes(['a', 'b'], alive)
    const refused = async (node: string) => {
      if (node === 'a') throw fault(code)
      return node
    }
    expect(await nodes.write(refused)).toBe('b')
    await expect(createNodes(['a', 'b'], alive).write(refused, 'once')).rejects.toMatchObject({ code })
  })

  test.each(['ECONNRESET', '32'])(
    'that can have run is not repeated; the next goes to another node: %s',
    async (code) => {
      const asked: string[] = []
      const nodes = createNodes(['a', 'b'], alive)
      const task = async (node: string) => {
        asked.push(node)
        if (node === 'a') throw fault(code)
        return node
      }
      await expect(nodes.write(task)).rejects.toMatchObject({ code })
      expect(await nodes.write(task)).toBe('b')
      expect(asked).toEqual(['a', 'b'])
    },
  )
})
