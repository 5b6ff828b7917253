import { expect, test } from 'vitest'
import { terminalChunks, terminalText } from '../../../../../app/cli/command/terminal-text.ts'

test('control characters are escaped, and all other text is unchanged', () => {
  const hostile = '\u001b]52;c;aGk=\u0007\u009b31m\r\u0000\u007f'
  expect(terminalText(`a\tb\n${hostile}é😀`)).toBe('a\tb\n\\x1b]52;c;aGk=\\x07\\x9b31m\\x0d\\x00\\x7fé😀')
})

test('a character split over two chunks is decoded as one', async () => {
  const bytes = Buffer.from('é\u009b😀')
  async function* oneByOne() {
    for (const byte of bytes) yield Uint8Array.of(byte)
  }
  let text = ''
  for await (const piece of terminalChunks(oneByOne())) text += piece
  expect(text).toBe('é\\x9b😀')
})
