import { describe, expect, test } from 'vitest'
import { createNodes, nodeUrls } from '../../../../queries/clickhouse/nodes.ts'
import { TimedOut } from '../../../../queries/clickhouse/with-timeout.ts'

const fault = (code: string) => Object.assign(new Error(code), { code })
const never = new AbortController().signal
const healthy = { isAlive: async () => true, isInStep: async () => true }

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
  test.each(['ECONNREFUSED', 'ECONNRESET', 'UND_ERR_SOCKET', '32', '60', '81', '198', '279', '242', '999'])(
    'goes to the next node after %s, and stays there',
    async (code) => {
      const asked: string[] = []
      const nodes = createNodes(['a', 'b', 'c'], healthy)
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
    const nodes = createNodes(['a', 'b'], healthy)
    const task = async (node: string) => {
      asked.push(node)
      throw fault(node === 'a' ? 'ECONNREFUSED' : '279')
    }
    await expect(nodes.read(task, never)).rejects.toMatchObject({ code: '279' })
    expect(asked).toEqual(['a', 'b'])
  })

  test('that ClickHouse refuses is refused once', async () => {
    const asked: string[] = []
    const nodes = createNodes(['a', 'b'], healthy)
    const task = async (node: string) => {
      asked.push(node)
      throw fault('62')
    }
    await expect(nodes.read(task, never)).rejects.toMatchObject({ code: '62' })
    expect(asked).toEqual(['a'])
  })

  test('goes on after a probe that timed out, and not after its own deadline', async () => {
    const nodes = createNodes(['a', 'b'], healthy)
    const timedOut = async (node: string) => {
      if (node === 'a') throw new TimedOut('a')
      return node
    }
    expect(await nodes.read(timedOut, never)).toBe('b')
    const ended = AbortSignal.abort(new TimedOut('whole'))
    await expect(createNodes(['a', 'b'], healthy).read(timedOut, ended)).rejects.toThrow('a')
  })

  test('leaves a node that is frozen', async () => {
    const nodes = createNodes(['a', 'b'], { ...healthy, isAlive: async (node) => node !== 'a' })
    const task = (node: string, signal: AbortSignal) =>
      node === 'b'
        ? Promise.resolve(node)
        : new Promise<string>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    expect(await nodes.read(task, never)).toBe('b')
  })
})

describe('a node that lacks rows that others have', () => {
  const behind = (name: string) => ({ ...healthy, isInStep: async (node: string) => node !== name })
  const itself = async (node: string) => node

  test('serves nothing, neither at first nor where another fails', async () => {
    const nodes = createNodes(['a', 'b', 'c'], behind('a'))
    expect(await nodes.read(itself, never)).toBe('b')
    expect(await nodes.write(itself, 'once')).toBe('b')
    const withoutB = async (node: string) => {
      if (node === 'b') throw fault('ECONNREFUSED')
      return node
    }
    expect(await nodes.read(withoutB, never)).toBe('c')
  })

  test('serves nothing where it is the only one, for which ClickHouse is unavailable', async () => {
    const nodes = createNodes(['a', 'b'], behind('a'))
    const dead = async (node: string) => {
      if (node === 'b') throw fault('ECONNREFUSED')
      return node
    }
    await expect(nodes.read(dead, never)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    const alone = createNodes(['a', 'b'], { ...healthy, isInStep: async () => false })
    await expect(alone.read(itself, never)).rejects.toMatchObject({ code: 'upstream_unavailable' })
  })

  test('is checked once while it serves, and again after another did', async () => {
    const checked: string[] = []
    const isInStep = async (node: string) => checked.push(node) > 0
    const nodes = createNodes(['a', 'b'], { ...healthy, isInStep })
    let dead = ''
    const task = async (node: string) => {
      if (node === dead) throw fault('ECONNREFUSED')
      return node
    }
    for (dead of ['', '', 'a', 'a', 'b']) await nodes.read(task, never)
    expect(checked).toEqual(['a', 'b', 'a'])
  })

  test('is passed over where it cannot be checked, and its error is the last resort', async () => {
    const isInStep = async (node: string) => {
      if (node === 'a') throw fault('81')
      return true
    }
    expect(await createNodes(['a', 'b'], { ...healthy, isInStep }).read(itself, never)).toBe('b')
    const nowhere = { ...healthy, isInStep: () => Promise.reject(fault('81')) }
    await expect(createNodes(['a', 'b'], nowhere).read(itself, never)).rejects.toMatchObject({ code: '81' })
  })

  test('is the only node of one server, which is never checked', async () => {
    const nodes = createNodes(['a'], { ...healthy, isInStep: async () => false })
    expect(await nodes.read(itself, never)).toBe('a')
  })
})

describe('a write', () => {
  test.each(['ECONNREFUSED', '202', '60'])(
    'goes to the next node where it did not begin on the first: %s',
    async (code) => {
      const nodes = createNodes(['a', 'b'], healthy)
      const refused = async (node: string) => {
        if (node === 'a') throw fault(code)
        return node
      }
      expect(await nodes.write(refused)).toBe('b')
      await expect(createNodes(['a', 'b'], healthy).write(refused, 'once')).rejects.toMatchObject({ code })
    },
  )

  test.each(['ECONNRESET', '32'])(
    'that can have run is not repeated; the next goes to another node: %s',
    async (code) => {
      const asked: string[] = []
      const nodes = createNodes(['a', 'b'], healthy)
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
