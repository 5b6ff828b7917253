import { execFile } from 'node:child_process'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { brotliBomb, gzipBomb } from '../support/bombs.ts'
import type { ScanCost } from '../support/scan-hostile.ts'
import { startWebServer } from '../support/web-server.ts'

/** About 2 MB, so that a page with it is just within the limit. */
const filled = (text: string) => text.repeat(Math.floor((2 * 1024 * 1024 - 100) / text.length))

const numbered = (count: number, tag: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => tag(index)).join('')

const last = '<script src=/script></script>'

/** Pages that are to cost a scan much, with the failure or the number of scripts. */
const pages: Readonly<Record<string, readonly [body: string | Buffer, result: string | number]>> = {
  '10,000 scripts, some without an end': [
    numbered(
      10_000,
      (index) => `<script src="/${index < 30 ? 'bomb' : 'script'}/${index}">${' '.repeat(150)}</script>`,
    ),
    10_000,
  ],
  '10,001 scripts': [numbered(10_001, (index) => `<script src=/${index}></script>`), 'too_large'],
  'a long base': [
    `<base href="/${'a'.repeat(8_000)}/">${numbered(10_000, (index) => `<script src=${index}></script>`)}`,
    'too_large',
  ],
  'one script 10,000 times, with a long redirect': ['<script src=/long></script>'.repeat(10_000), 'too_large'],
  'a gzip bomb': [gzipBomb, 'too_large'],
  'a brotli bomb': [brotliBomb, 'too_large'],
  'UTF-16': [Buffer.from(`\ufeff${'ü'.repeat(1_000_000)}${last}`, 'utf16le'), 1],
  'nested elements': [`${filled('<b><i>')}${last}`, 1],
  'nested SVG': [`${filled('<svg>')}${last}`, 'too_large'],
  'nested SVG and HTML': [`${filled('<svg><desc>')}${last}`, 'too_large'],
  'open elements before items of lists': [`${'<b>'.repeat(600)}${filled('<li>').slice(1_800)}${last}`, 1],
  'frames within frames': [`<iframe srcdoc="${filled('&lt;iframe srcdoc=x>')}"></iframe>${last}`, 1],
  'nested templates': [`${filled('<template>')}${last}`, 0],
  attributes: [`<p ${numbered(400_000, (index) => `${index.toString(36)} `)}>${last}`, 'too_large'],
  'references in an attribute': [`<p a="${filled('&amp')}">${last}`, 1],
  'a long source': [`<script src="data:text/javascript,${filled('a')}"></script>`, 1],
  'a comment that does not end': [`<!--${filled('-')}`, 0],
  'tags that do not end': [filled('<script src=/script '), 0],
  'a circle': ['', 'too_many_redirects'],
  'chunks of a byte': ['', 0],
}

function handle({ url = '' }: IncomingMessage, response: ServerResponse): void {
  const name = decodeURIComponent(url.slice(1))
  response.setHeader('Content-Type', 'text/html')
  if (name.includes('bomb')) response.setHeader('Content-Encoding', name === 'a brotli bomb' ? 'br' : 'gzip')
  if (name.startsWith('bomb/')) response.setHeader('Content-Type', 'text/javascript').end(gzipBomb)
  else if (name === 'a circle') response.writeHead(302, { Location: url }).end()
  else if (name === 'long') response.writeHead(302, { Location: `/${'a'.repeat(8_000)}` }).end()
  else if (name === 'chunks of a byte') {
    const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n'
    response.socket?.end(`${head}${'1\r\na\r\n'.repeat(200_000)}0\r\n\r\n`)
  } else response.end(pages[name]?.[0] ?? 'a script, or none')
}

test('a hostile page costs a scan at most 64 MB and 60 s, and other work of the process goes on', async () => {
  const server = await startWebServer(handle)
  const urls = ['none', ...Object.keys(pages)].map((name) => `${server.origin}/${encodeURIComponent(name)}`)
  const script = fileURLToPath(new URL('../support/scan-hostile.ts', import.meta.url))
  // Garbage is collected soon, so that the memory is what the scan holds.
  const flags = ['--expose-gc', '--max-semi-space-size=2', '--import', 'tsx']
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, script, ...urls])
  await server.close()
  const costs = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as ScanCost)
  const judged = Object.entries(pages).map(([name], index) => ({ name, ...costs[index] }))
  expect(judged.map(({ name, failureReason, scripts }) => [name, failureReason ?? scripts])).toEqual(
    Object.entries(pages).map(([name, [, result]]) => [name, result]),
  )
  const isCostly = ({ megabytes = 0, seconds = 0, blockedMs = 0 }: Partial<ScanCost>) =>
    megabytes > 64 || seconds > 60 || blockedMs > 5_000
  expect(judged.filter(isCostly)).toEqual([])
})
