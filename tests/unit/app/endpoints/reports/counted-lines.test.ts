import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { countedLines } from '../../../../../app/endpoints/reports/counted-lines.ts'

const chunks = (...texts: string[]) => Readable.from(texts.map((one) => Buffer.from(one)))

test('lines pass, however they are cut, and their number follows', async () => {
  expect(await text(countedLines(chunks('{"a":1}\n{"b', '":2}\n', '{}\n'), 3, true))).toBe(
    '{"a":1}\n{"b":2}\n{}\n{"end":{"reports":3}}\n',
  )
  expect(await text(countedLines(chunks('{}\n'), 0, false))).toBe('{}\n')
  expect(await text(countedLines(chunks(), 0, true))).toBe('{"end":{"reports":0}}\n')
})

test('fewer than were counted ahead are an error and no end', async () => {
  await expect(text(countedLines(chunks('{}\n'), 2, true))).rejects.toThrow('1 of the 2 reports')
})

test('U+0085, at which some readers end a line, is escaped, however it is cut, and no other character', async () => {
  const line = Buffer.from('{"a":"\u0085x\u00c2\u0085\u{10085}"}\n')
  for (let at = 0; at <= line.length; at++) {
    const pieces = Readable.from([line.subarray(0, at), line.subarray(at)].filter(({ length }) => length > 0))
    expect(await text(countedLines(pieces, 1, false))).toBe('{"a":"\\u0085x\u00c2\\u0085\u{10085}"}\n')
  }
})
