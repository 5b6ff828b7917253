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
  await expect(text(countedLines(chunks('{}\n'), 2, true))).rejects.toThrow('1 reports of 2')
})
