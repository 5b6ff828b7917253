import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type BatchLimits, type ByteSource, readBatches } from '../../../../../app/import/ndjson/read-batches.ts'
import type { StartedBatch } from '../../../../../app/import/reports/import-log.ts'

const roomy: BatchLimits = { batchBytes: 1_000_000, maxLineBytes: 1_000 }

async function* inPieces(text: string | Buffer, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

interface Batch {
  readonly token: string
  readonly lines: string[]
  readonly firstLine: number
  readonly bytesRead: number
  readonly overlong: [number, number][]
}

/** Every batch of a source, each told what is known to follow the one before. */
async function batchesOf(source: ByteSource, limits = roomy, known: Map<string, StartedBatch[]> = new Map()) {
  const reader = readBatches(source, limits)
  const batches: Batch[] = []
  let previous = 'start'
  for (;;) {
    const batch = await reader.next(previous, known.get(previous) ?? [])
    if (!batch) return batches
    const { token, bytes, ends, overlong, firstLine, bytesRead } = batch
    const lines = ends.map((end, index) => bytes.toString('utf8', index === 0 ? 0 : (ends[index - 1] ?? 0) + 1, end))
    batches.push({ token, lines, firstLine, bytesRead, overlong: [...overlong] })
    previous = token
  }
}

const tokens = async (text: string, limits = roomy) => (await batchesOf(inPieces(text, 7), limits)).map((b) => b.token)

const tokensOf = async (text: string, known: Map<string, StartedBatch[]>) =>
  (await batchesOf(inPieces(text, 5), roomy, known)).map(({ token }) => token)

describe('lines of a file', () => {
  test.each([
    ['a\nb\n', [['a', 'b']]],
    ['a\nb', [['a'], ['b']]],
    ['a\r\nb\r\n', [['a', 'b']]],
    ['a\n\n\nb', [['a', '', ''], ['b']]],
    ['a\rb\n', [['a\rb']]],
    ['\n', [['']]],
    ['é\n😀', [['é'], ['😀']]],
  ])('the lines of %j are read from chunks of any size', async (text, batches) => {
    for (const size of [1, 2, 3, 1_000]) {
      expect((await batchesOf(inPieces(text, size))).map((batch) => batch.lines)).toEqual(batches)
    }
  })

  test('an empty source makes no batch', async () => {
    expect(await batchesOf(inPieces('', 1))).toEqual([])
  })

  test('a source can be text', async () => {
    const source = (async function* () {
      yield 'a\nb'
      yield 'c\n'
    })()
    expect((await batchesOf(source)).map((batch) => batch.lines)).toEqual([['a', 'bc']])
  })

  test('overlong lines are not stored, and differ in their tokens', async () => {
    const limits = { ...roomy, maxLineBytes: 5 }
    const [batch] = await batchesOf(inPieces(`a\n${'x'.repeat(50)}\r\n12345\nb\n`, 4), limits)
    expect(batch).toMatchObject({
      overlong: [[1, 51]],
      lines: ['a', expect.stringContaining('51 bytes'), '12345', 'b'],
    })
    const others = [`a\n${'x'.repeat(49)}y\r\n12345\nb\n`, `a\n${'x'.repeat(50)}\r\n12345\nb\n`]
    const [other, same] = await Promise.all(others.map((text) => tokens(text, limits)))
    expect(other).not.toEqual([batch?.token])
    expect(same).toEqual([batch?.token])
  })
})

describe('batches of a file', () => {
  const limits = { ...roomy, batchBytes: 10 }

  test('a batch ends with the line that reaches the limit', async () => {
    const batches = await batchesOf(inPieces('1234\n5678\n9\nabcdefghijkl\nx\n', 3), limits)
    expect(batches).toMatchObject([
      { lines: ['1234', '5678'], firstLine: 1, bytesRead: 10 },
      { lines: ['9', 'abcdefghijkl'], firstLine: 3, bytesRead: 25 },
      { lines: ['x'], firstLine: 5, bytesRead: 27 },
    ])
  })

  test('batches are equal for any chunks and any line ends', async () => {
    const line = fc.stringMatching(/^[a-z]{0,12}$/)
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 1, max: 9 }),
        async (lines, size) => {
          const text = `${lines.join('\n')}\n`
          const whole = await batchesOf(inPieces(text, 1_000), limits)
          const pieces = await batchesOf(inPieces(lines.map((one) => `${one}\r\n`).join(''), size), limits)
          expect(pieces.map((batch) => batch.token)).toEqual(whole.map((batch) => batch.token))
          expect(whole.flatMap((batch) => batch.lines)).toEqual(lines)
        },
      ),
    )
  })

  test('batches of a file that grew begin as before', async () => {
    const before = await tokens('one\ntwo\nthree\n', limits)
    const after = await tokens('one\ntwo\nthree\nfour\nfive\n', limits)
    expect(after).toEqual([...before, expect.any(String)])
  })

  test.each(['thr', 'three', 'three\r', `${'x'.repeat(2_000)}`])(
    'of a file that ends within a line leave that line, %j, to a batch of its own',
    async (open) => {
      const before = await batchesOf(inPieces(`one\ntwo\n${open}`, 9))
      expect(before).toMatchObject([{ lines: ['one', 'two'], firstLine: 1 }, { firstLine: 3 }])
      expect(before[1]?.lines).toHaveLength(1)
      const known = new Map([
        ['start', [{ token: before[0]?.token ?? '', lines: 2 }]],
        [before[0]?.token ?? '', [{ token: before[1]?.token ?? '', lines: 1 }]],
      ])
      const completed = await batchesOf(inPieces(`one\ntwo\n${open}ee\nfour\n`, 9), roomy, known)
      expect(completed.map(({ token }) => token)).toEqual([before[0]?.token, expect.any(String)])
      expect(completed[1]).toMatchObject({ firstLine: 3 })
      expect(completed[1]?.lines).toHaveLength(2)
      const ended = await batchesOf(inPieces(`one\ntwo\n${open}\n`, 9), roomy, known)
      expect(ended.map(({ token }) => token)).toEqual(before.map(({ token }) => token))
    },
  )

  test('a batch recognises a last line without its line feed', async () => {
    const whole = await batchesOf(inPieces('one\ntwo\nthree\n', 4))
    const known = new Map([['start', [{ token: whole[0]?.token ?? '', lines: 3 }]]])
    expect(await tokensOf('one\ntwo\nthree', known)).toEqual(whole.map(({ token }) => token))
  })

  test('a batch’s token depends on all lines before it', async () => {
    const [, one] = await tokens('aaaaaaaaaa\nsame\n', limits)
    const [, other] = await tokens('bbbbbbbbbb\nsame\n', limits)
    expect(one).not.toBe(other)
  })

  test('a batch ends where a started batch of the same lines ended', async () => {
    const [short] = await batchesOf(inPieces('a\nb\n', 9))
    const known = new Map([
      [
        'start',
        [
          { token: short?.token ?? '', lines: 2 },
          { token: 'f00', lines: 1 },
        ],
      ],
    ])
    const batches = await batchesOf(inPieces('a\nb\nc\nd\n', 9), roomy, known)
    expect(batches.map((batch) => batch.lines)).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ])
    expect(batches[0]?.token).toBe(short?.token)
  })

  test('a batch does not end where a started batch had other lines', async () => {
    const [other] = await batchesOf(inPieces('a\nx\n', 9))
    const known = new Map([['start', [{ token: other?.token ?? '', lines: 2 }]]])
    expect(await batchesOf(inPieces('a\nb\nc\n', 9), roomy, known)).toHaveLength(1)
  })
})

/** A source that yields the texts, and waits for the numbers, in milliseconds. */
async function* slowly(...steps: (string | number)[]): AsyncGenerator<string> {
  for (const step of steps) {
    if (typeof step === 'string') yield step
    else await sleep(step)
  }
}

describe('batches in time', () => {
  const limits = { ...roomy, dueAt: (at: number) => at + 100 }
  const linesOf = async (...steps: (string | number)[]) =>
    (await batchesOf(slowly(...steps), limits)).map(({ lines }) => lines)

  test('a batch ends in time after its first line, also where lines keep coming', async () => {
    expect(await linesOf('a\nb\n', 200, 'c\n')).toEqual([['a', 'b'], ['c']])
    const trickle = Array.from({ length: 40 }, (_, index) => [`${index}\n`, 10]).flat()
    expect((await linesOf(...trickle)).length).toBeGreaterThan(2)
  })

  test('a line that has not ended is in no batch in time', async () => {
    expect(await linesOf('a\nha', 200, 'lf\nb\n')).toEqual([['a'], ['half', 'b']])
    expect(await linesOf('ha', 200, 'lf\n')).toEqual([['half']])
  })

  test('lines of a started batch whose source is ended early are no batch', async () => {
    const [whole] = await batchesOf(inPieces('a\nb\nc\n', 9), limits)
    const reader = readBatches(inPieces('a\nb\n', 9), limits, AbortSignal.abort())
    expect(await reader.next('start', [{ token: whole?.token ?? '', lines: 3 }])).toBeUndefined()
    const other = readBatches(inPieces('a\nb\n', 9), limits, AbortSignal.abort())
    expect(await other.next('start', [])).toMatchObject({ ends: [1, 3] })
  })

  test('lines wait for the end of a started batch, so that a slow repeat sends it again unchanged', async () => {
    const [whole] = await batchesOf(inPieces('a\nb\nc\n', 9), limits)
    const known = new Map([['start', [{ token: whole?.token ?? '', lines: 3 }]]])
    expect(await batchesOf(slowly('a\n', 200, 'b\n', 200, 'c\nd\n'), limits, known)).toMatchObject([
      { lines: ['a', 'b', 'c'], token: whole?.token },
      { lines: ['d'] },
    ])
    const other = slowly('a\n', 200, 'b\n', 200, 'x\n', 200, 'y\n')
    expect(await batchesOf(other, limits, known)).toMatchObject([{ lines: ['a', 'b', 'x'] }, { lines: ['y'] }])
  })
})

describe('the first line', () => {
  const openingOf = (text: string, size = 3) => readBatches(inPieces(text, size), roomy).opening()

  test('gives one opening for any chunks, line ends and lines after it', async () => {
    const opening = await openingOf('first\nsecond\n')
    expect(opening).toMatch(/^[\da-f]{64}$/)
    for (const text of ['first\nother\n', 'first\r\n', 'first']) expect(await openingOf(text, 100)).toBe(opening)
    expect(await openingOf('other\nsecond\n')).not.toBe(opening)
    expect(await openingOf('')).toBeUndefined()
  })

  test('is in the first batch, with its number', async () => {
    const reader = readBatches(inPieces('a\nb\n', 1), roomy)
    const [alone] = await batchesOf(inPieces('a\nb\n', 1))
    await reader.opening()
    expect(await reader.next('start', [])).toMatchObject({ token: alone?.token, firstLine: 1, ends: [1, 3] })
    expect(await reader.next('start', [])).toBeUndefined()
  })
})

test('a reader closes while its source is silent', async () => {
  const reader = readBatches(slowly('a\n', 60_000), { ...roomy, dueAt: (at: number) => at + 10 })
  expect(await reader.next('start', [])).toMatchObject({ ends: [1] })
  await reader.close()
})
