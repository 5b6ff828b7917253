import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Context } from 'hono'
import { jsonHeaders, respond } from './json-response.ts'
import type { ApiEnv } from './request-context.ts'

/** Bytes from which gzip is worth its time: 16 KB of JSON shrink to about 2 KB in a tenth of a millisecond. */
const largeBody = 16_384

/** Level 3 is the fastest on histograms and lists, and within a tenth of the smallest. */
const compress = promisify(gzip)
const gzipOptions = { level: 3 } as const

/**
 * A caller may keep the answer but must ask whether it still stands; another key's answer is another answer.
 * RFC 9110, 8.8.3 and 13.1.2; RFC 9111, 5.2.2.4.
 */
const keptHeaders = { 'Cache-Control': 'private, no-cache', Vary: 'Accept-Encoding, Authorization' } as const

/** The body of a 200, which is hashed once, and gzipped once, when the first caller takes it so. */
export interface Content {
  readonly plain: string | Buffer<ArrayBuffer>
  /** Of `plain`. */
  readonly bytes: number
  readonly digest: string
  readonly gzipped: () => Promise<Buffer<ArrayBuffer>>
}

export function contentOf(plain: Content['plain']): Content {
  let gzipped: Promise<Buffer<ArrayBuffer>> | undefined
  return {
    plain,
    bytes: Buffer.byteLength(plain),
    digest: hash('sha256', plain, 'base64url').slice(0, 22),
    gzipped() {
      gzipped ??= compress(plain, gzipOptions).catch((error: unknown) => {
        gzipped = undefined
        throw error
      })
      return gzipped
    },
  }
}

/** Answers JSON that the caller may keep. */
export function answerData(c: Context<ApiEnv>, content: Content): Response | Promise<Response> {
  return answerContent(c, content, { ...jsonHeaders, ...keptHeaders })
}

/**
 * Answers a 200 with a strong ETag: as a 304 without a body where the caller has it already, and with gzip where it is
 * large and the caller takes gzip.
 * @param contentHeaders of the 200; all but its Content-Type stand on the 304 too.
 */
export function answerContent(
  c: Context<ApiEnv>,
  { plain, bytes, digest, gzipped }: Content,
  contentHeaders: Readonly<Record<'Content-Type' | 'Cache-Control' | 'Vary', string>>,
): Response | Promise<Response> {
  const asGzip = bytes >= largeBody && acceptsGzip(c.req.header('Accept-Encoding'))
  // Strong, so each encoding has its own (RFC 9110, 8.8.3.3).
  const etag = `"${digest}${asGzip ? '-gzip' : ''}"`
  const headers = { ...contentHeaders, ETag: etag, ...c.get('state').headers }
  if (holds(c.req.header('If-None-Match'), etag)) {
    const { 'Content-Type': _, ...withoutType } = headers
    return respond(null, 304, withoutType)
  }
  if (!asGzip) return respond(plain, 200, headers)
  return gzipped().then((packed) => respond(packed, 200, { ...headers, 'Content-Encoding': 'gzip' }))
}

/** Whether If-None-Match names the tag, weakly compared, or any at all. */
function holds(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  return ifNoneMatch.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === etag)
}

/** Whether Accept-Encoding names gzip, or everything, and does not refuse it by `q=0`. */
function acceptsGzip(acceptEncoding = ''): boolean {
  const quality = new Map(
    acceptEncoding
      .toLowerCase()
      .split(',')
      .map((one) => {
        const [coding = '', ...parameters] = one.split(';').map((part) => part.trim())
        const q = parameters.find((parameter) => parameter.startsWith('q='))
        return [coding, q === undefined ? 1 : Number(q.slice(2))]
      }),
  )
  return (quality.get('gzip') ?? quality.get('*') ?? 0) > 0
}
