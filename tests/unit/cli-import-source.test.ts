import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { openImportSource } from '../../app/cli/import-source.ts'

const own = new URL(import.meta.url).pathname

test.each([
  ['a file', own, `${own}.rejected.ndjson`],
  ['stdin', '-', '/somewhere/stdin.rejected.ndjson'],
  ['what is no file, such as a pipe', '/dev/null', '/somewhere/null.rejected.ndjson'],
])('the rejected lines of %s go to a place that can be written', async (_, file, rejectedPath) => {
  const source = await openImportSource(file, Readable.from([]), '/somewhere')
  source.stream.destroy()
  expect(source.rejectedPath).toBe(rejectedPath)
})
