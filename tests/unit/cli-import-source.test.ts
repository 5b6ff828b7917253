import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
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

const line = '{"age":0,"type":"crash"}\n'

test.each([
  ['gzip', gzipSync(line), /is compressed by gzip: zcat/],
  ['UTF-16', Buffer.from(`\ufeff${line}`, 'utf16le'), /is UTF-16: save it as UTF-8/],
])('a file of %s is refused with what to do', async (_, bytes, advice) => {
  const path = join(mkdtempSync(join(tmpdir(), 'import-source-')), 'posts.ndjson')
  writeFileSync(path, bytes)
  await expect(openImportSource(path, Readable.from([]), '/')).rejects.toThrow(advice)
  rmSync(dirname(path), { recursive: true })
})

test('a file is read from its first byte', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'import-source-')), 'posts.ndjson')
  writeFileSync(path, line)
  const { stream } = await openImportSource(path, Readable.from([]), '/')
  expect(Buffer.concat(await stream.toArray()).toString()).toBe(line)
  rmSync(dirname(path), { recursive: true })
})
