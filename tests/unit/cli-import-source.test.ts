import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { openImportSource } from '../../app/cli/import-source.ts'

const own = new URL(import.meta.url).pathname

test.each([
  [
    'a file',
    own,
    { path: `${own}.rejected.ndjson`, isOwn: true, otherwise: `/somewhere/${basename(own)}.rejected.ndjson` },
  ],
  ['stdin', '-', { path: '/somewhere/stdin.rejected.ndjson', isOwn: false }],
  ['what is no file, such as a pipe', '/dev/null', { path: '/somewhere/null.rejected.ndjson', isOwn: false }],
])('the rejected lines of %s go to a place that can be written', async (_, file, rejected) => {
  const source = await openImportSource(file, Readable.from([]), '/somewhere')
  source.stream.destroy()
  expect(source.rejected).toEqual(rejected)
})
