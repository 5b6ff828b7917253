import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { readBrowser } from '../../../../../app/import/normalise/browser.ts'
import { urlComponents } from '../../../../../app/import/normalise/url-components.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

const lines = 80
const lineBytes = 4_000_000

function heldBytes(): number {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

test.each([
  ['URLs', urlComponents, 'https://www.shop.test/a/long/enough/path/'],
  ['user agents', readBrowser, 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/'],
])('cached %s hold no memory of the line they were read from', (_, read, head) => {
  const before = heldBytes()
  for (let line = 0; line < lines; line++) {
    const text = Buffer.alloc(lineBytes, `${head}${line}~`).toString('latin1')
    read(text.slice(0, head.length + 2))
  }
  expect(heldBytes() - before).toBeLessThan((lines * lineBytes) / 2)
})
