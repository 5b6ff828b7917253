import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { createRejectedFile } from '../../../../../app/import/ndjson/rejected-file.ts'
import { parseContent, toRejectedLine } from '../../../../../app/import/ndjson/rejected-line.ts'
import { createTally } from '../../../../../app/import/reports/import-tally.ts'
import { isTransient, withRetry } from '../../../../../app/program/with-retry.ts'

const folder = mkdtempSync(join(tmpdir(), 'import-tally-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe('skipped types', () => {
  test('skipped types are counted by name', () => {
    const tally = createTally()
    for (const type of ['csp-hash', 'network-error', 'csp-hash', '__proto__']) tally.skip(type)
    expect(Object.entries(tally.result().skipped)).toEqual([
      ['__proto__', 1],
      ['csp-hash', 2],
      ['network-error', 1],
    ])
  })

  test('skipped types have bounded, printable names, at most 50 and other', () => {
    const tally = createTally()
    tally.skip(`\u0007${'x'.repeat(1_000)}`)
    for (let index = 0; index < 1_000; index++) tally.skip(`type-${index}`)
    const { skipped } = tally.result()
    expect(Object.keys(skipped)).toHaveLength(51)
    expect(skipped[`?${'x'.repeat(63)}`]).toBe(1)
    expect(skipped.other).toBe(1_001 - 50)
  })
})

test('unknown members have bounded names, at most 50 and other', () => {
  const tally = createTally()
  for (let index = 0; index < 60; index++) tally.unknownMember(`crash.member${index}`)
  const { unknownMembers } = tally.result()
  expect(Object.keys(unknownMembers)).toHaveLength(51)
  expect(unknownMembers).toMatchObject({ 'crash.member0': 1, other: 10 })
})

describe('a rejected file', () => {
  const rejection = { line: 3, reason: 'why', content: { a: '\u2028' }, bytes: 9 }
  const written = (line: number) => ({ a: '\u2028', rejected: { line, reason: 'why' } })

  test('a rejected file replaces an old one, one rejection a line', async () => {
    const path = join(folder, 'some.ndjson')
    writeFileSync(path, 'old')
    const file = await createRejectedFile({ path, overwrite: true })
    await file.write(rejection)
    await file.write({ ...rejection, line: 4 })
    expect(await file.close()).toBe(path)
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual([written(3), written(4)])
  })

  test('a rejected file is removed when nothing is rejected', async () => {
    const path = join(folder, 'none.ndjson')
    writeFileSync(path, 'old')
    const file = await createRejectedFile({ path, overwrite: true })
    expect(await file.close()).toBeUndefined()
    expect(existsSync(path)).toBe(false)
  })

  test('a rejected file that cannot be written throws', async () => {
    const file = await createRejectedFile({ path: join(folder, 'missing', 'x.ndjson'), overwrite: true })
    await expect(file.write(rejection)).rejects.toThrow('ENOENT')
  })

  test('a rejected file uses its fallback path, and overwrites no earlier file there', async () => {
    const fallbackPath = join(folder, 'elsewhere.rejected.ndjson')
    const file = await createRejectedFile({ path: join(folder, 'missing', 'x.ndjson'), overwrite: true, fallbackPath })
    await file.write(rejection)
    expect(await file.close()).toBe(fallbackPath)
    const second = await createRejectedFile({
      path: join(folder, 'missing', 'y.ndjson'),
      overwrite: true,
      fallbackPath,
    })
    await second.write({ ...rejection, line: 4 })
    expect(await second.close()).toBe(join(folder, 'elsewhere.2.rejected.ndjson'))
    expect(JSON.parse(readFileSync(fallbackPath, 'utf8'))).toEqual(written(3))
  })

  test('a rejected file of a pipe overwrites no earlier one', async () => {
    const place = { path: join(folder, 'stdin.rejected.ndjson'), overwrite: false }
    const files = await Promise.all([1, 2, 3].map(() => createRejectedFile(place)))
    for (const [index, file] of files.entries()) await file.write({ ...rejection, line: index + 1 })
    const paths = await Promise.all(files.map((file) => file.close()))
    expect(paths).toEqual(['', '.2', '.3'].map((number) => join(folder, `stdin${number}.rejected.ndjson`)))
    expect(paths.map((path) => JSON.parse(readFileSync(path ?? '', 'utf8')).rejected.line)).toEqual([1, 2, 3])
  })
})

describe('a rejected line', () => {
  const reason = 'why'
  const written = (text: string) =>
    JSON.parse(toRejectedLine({ line: 1, reason, content: parseContent(text), bytes: Buffer.byteLength(text) }))
  const rejected = { line: 1, reason }

  test.each([
    ['{"site":"s","body":[1]}', { site: 's', body: [1], rejected }],
    ['{"body":[1],"rejected":{"line":9,"reason":"earlier"}}', { body: [1], rejected }],
    ['[1]', { body: [1], rejected }],
    ['{"cut', { body: '{"cut', rejected }],
    ['7', { body: 7, rejected }],
  ])('a rejected line of %s has its fields and the latest reason', (text, members) => {
    expect(written(text)).toEqual(members)
  })

  test('a rejected line nested too deeply for JSON.stringify gives that reason', () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000)
    expect(written(deep)).toEqual({ rejected: { line: 1, reason: 'why; nested too deeply to include here' } })
  })

  test.each([
    ['control characters', '\u0001'.repeat(100_000)],
    ['numbers with exponents', `[${'1e20,'.repeat(20_000)}1]`],
    ['bytes that are not UTF-8', Buffer.alloc(100_000, 0xff).toString()],
  ])('a rejected line of %s gives its reason alone, as its text would be far longer', (_, text) => {
    const bytes = 100_000
    const line = toRejectedLine({ line: 1, reason, content: parseContent(text), bytes })
    expect(JSON.parse(line)).toEqual({ rejected: { line: 1, reason: 'why; too long to include here' } })
  })

  test('a rejected line has at most twice its bytes or 2 KB more, whatever its reason', () => {
    const text = '"'.repeat(100_000)
    for (const length of [1, 100, 1_000, 10_000, 100_000]) {
      const content = parseContent(text.slice(0, length))
      const line = toRejectedLine({ line: 1, reason: text, content, bytes: length })
      expect(Buffer.byteLength(line)).toBeLessThanOrEqual(Math.max(2 * length, length + 2_100))
    }
  })
})

describe('withRetry', () => {
  const quick = { retries: 1, minTimeout: 1 }
  const failing = (times: number, code: string) => {
    let attempts = 0
    return async () => {
      attempts++
      if (attempts <= times) throw Object.assign(new Error(`attempt ${attempts}`), { code })
      return attempts
    }
  }

  test.each([
    'ECONNREFUSED',
    'ECONNRESET',
    'EPIPE',
    '32',
    '241',
    '252',
    '279',
    '285',
    '319',
    '999',
    'upstream_unavailable',
  ])('with %s is tried again', async (code) => {
    expect(await withRetry(failing(2, code), undefined, { ...quick, retries: 2 })).toBe(3)
  })

  test('a task that fails too often throws its last error', async () => {
    await expect(withRetry(failing(9, 'ECONNREFUSED'), undefined, { ...quick, retries: 2 })).rejects.toThrow(
      'attempt 3',
    )
  })

  test.each(['62', '60', '516', 'ENOENT'])('a task that fails with %s is not retried', async (code) => {
    await expect(withRetry(failing(1, code), undefined, quick)).rejects.toThrow('attempt 1')
  })

  test('a task is not retried after the abort', async () => {
    const signal = AbortSignal.abort(new Error('ended'))
    await expect(withRetry(failing(1, 'ECONNREFUSED'), signal, quick)).rejects.toThrow('ended')
  })

  test('a wait ends at the abort', async () => {
    const ending = new AbortController()
    const waiting = withRetry(failing(1, 'ECONNREFUSED'), ending.signal, { retries: 1, minTimeout: 60_000 })
    setTimeout(() => ending.abort(new Error('ended')), 5)
    await expect(waiting).rejects.toThrow('ended')
  })

  test('a closed connection is transient', () => {
    expect(isTransient(new Error('socket hang up'))).toBe(true)
    expect(isTransient('socket hang up')).toBe(false)
  })
})
