import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { openImportSource } from '../../../../../app/cli/import/import-source.ts'

const own = new URL(import.meta.url).pathname

test.each([
  [
    'a file',
    own,
    { path: `${own}.rejected.ndjson`, overwrite: true, fallbackPath: `/somewhere/${basename(own)}.rejected.ndjson` },
  ],
  ['stdin', '-', { path: '/somewhere/stdin.rejected.ndjson', overwrite: false }],
  ['what is no file, such as a pipe', '/dev/null', { path: '/somewhere/null.rejected.ndjson', overwrite: false }],
])('the rejected lines of %s go to a place that can be written', async (_, file, rejected) => {
  const source = await openImportSource(file, { stdin: Readable.from([]), folder: '/somewhere' })
  source.close()
  expect(source.rejected).toEqual(rejected)
})

const line = '{"age":0,"type":"crash"}\n'

test.each([
  ['gzip', gzipSync(line), /is compressed with gzip: pipe the output of zcat/],
  ['UTF-16', Buffer.from(`\ufeff${line}`, 'utf16le'), /is UTF-16: save it as UTF-8/],
])('a file of %s is refused with what to do', async (_, bytes, advice) => {
  const path = join(mkdtempSync(join(tmpdir(), 'import-source-')), 'posts.ndjson')
  writeFileSync(path, bytes)
  await expect(openImportSource(path, { stdin: Readable.from([]), folder: '/' })).rejects.toThrow(advice)
  rmSync(dirname(path), { recursive: true })
})

test('a file of several chunks is read whole, from its first byte', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'import-source-')), 'posts.ndjson')
  const lines = Array.from({ length: 200_000 }, (_, index) => `${index}\n`).join('')
  writeFileSync(path, lines)
  const source = await openImportSource(path, { stdin: Readable.from([]), folder: '/' })
  const read = []
  for await (const chunks of source.files) read.push(await text(chunks))
  expect(read).toEqual([lines])
  source.close()
  rmSync(dirname(path), { recursive: true })
})

test('stdin is live, unless it is redirected from a file', async () => {
  const isLive = async (stdin: Readable) => (await openImportSource('-', { stdin, folder: '/' })).isLive
  expect(await isLive(new PassThrough())).toBe(true)
  const file = createReadStream(own)
  expect(await isLive(file)).toBe(false)
  file.destroy()
})
