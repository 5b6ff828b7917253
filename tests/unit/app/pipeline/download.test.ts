import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { Hono } from 'hono'
import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Listener, listen } from '../../../../app/http/listen.ts'
import { sendDownload } from '../../../../app/pipeline/download.ts'
import { type ApiEnv, createRequestContext } from '../../../../app/pipeline/request-context.ts'

const log = pino({ level: 'silent' })
const part = Buffer.alloc(300_000, 'a line\n')

let listener: Listener
beforeAll(async () => {
  const app = new Hono<ApiEnv>()
  app.use(async (c, next) => {
    c.set('request', createRequestContext(undefined))
    c.set('clientSignal', () => c.req.raw.signal)
    await next()
  })
  async function* partsThen(fault: string) {
    yield part
    if (fault === 'source') throw new Error('ClickHouse was killed')
    yield part
  }
  async function* passOn(bytes: AsyncIterable<Buffer>, fault: string) {
    yield* bytes
    if (fault === 'count') throw new Error('Fewer lines than were counted')
  }
  app.get('/:fault', (c) => {
    const fault = c.req.param('fault')
    const open = async () => Readable.from(partsThen(fault))
    const file = { mediaType: 'text/csv', fileName: 'a.csv', headers: {} }
    return sendDownload(c, { ...file, open, passOn: (bytes) => passOn(bytes, fault) }, log)
  })
  listener = await listen(app, 0, '127.0.0.1')
})
afterAll(() => listener?.stop())

/** Exit code of curl and the bytes that it read. Node's own client takes a reset behind unread bytes for an end. */
async function curl(path: string, ...args: string[]): Promise<[number, number]> {
  const child = spawn('curl', ['--silent', '--show-error', ...args, `${listener.url}${path}`])
  let bytes = 0
  child.stdout.on('data', (chunk) => {
    bytes += chunk.length
  })
  const [code] = await once(child, 'close')
  return [code, bytes]
}

test.each(['--http1.0', '--http1.1'])(
  'a fault within a download never looks like an end, with gzip too: curl %s',
  async (version) => {
    for (const encoding of ['identity', 'gzip']) {
      const args = [version, '--header', `Accept-Encoding: ${encoding}`]
      for (const fault of ['source', 'count']) {
        const [code] = await curl(`/${fault}`, ...args)
        expect([18, 56], `${fault} ${encoding}: ${code}`).toContain(code)
      }
      expect(await curl('/none', ...args)).toEqual([0, encoding === 'gzip' ? expect.any(Number) : 2 * part.length])
    }
  },
)
