import type { Readable } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Context } from 'hono'
import type { Logger } from 'pino'
import { acceptsGzip } from './conditional-response.ts'
import { clientClosedRequest, uncachedHeaders } from './json-response.ts'
import { resumeLink } from './next-link.ts'
import { type ApiEnv, headersOf } from './request-context.ts'

/** A response that is sent while it is read: complete, or ended by a reset. */
export interface Download {
  readonly mediaType: string
  readonly fileName: string
  readonly headers: Readonly<Record<string, string>>
  /** Cursor of the next export, if there is one. */
  readonly next?: string | undefined
  readonly open: () => Promise<Readable>
  /** Passes the bytes on; its error resets the connection. */
  readonly passOn: (bytes: AsyncIterable<Buffer>) => AsyncIterable<Buffer | string>
}

/** Level 1 compresses 100 MB/s of NDJSON per core to a tenth. */
const gzipOptions = { level: 1 } as const

/**
 * Node extends it once if some bytes were read, so a client that reads nothing loses its slot within twice the time.
 */
const stalledMs = 12_000

/** HTTP/1.0, which proxies speak, has no chunks: a closed connection marks the end of a complete body. */
const reset = (outgoing: HttpBindings['outgoing']) => void outgoing.socket?.resetAndDestroy()

/** Aborted if the client reads none of the waiting bytes; the response ends, because it would occupy an export slot. */
function endStalled(outgoing: HttpBindings['outgoing']): AbortSignal {
  const stalled = new AbortController()
  outgoing.setTimeout(stalledMs, () => {
    // Without waiting bytes it waits for ClickHouse.
    if (outgoing.writableLength === 0) return outgoing.setTimeout(stalledMs)
    stalled.abort()
    return reset(outgoing)
  })
  return stalled.signal
}

/** Sends 200 with the bytes. Throws, before the first byte, errors of `open`; a later one ends the connection and is logged. */
export async function sendDownload(c: Context<ApiEnv>, download: Download, log: Logger): Promise<Response> {
  const { requestId } = c.get('request')
  const isZipped = acceptsGzip(c)
  const corsHeaders = Object.fromEntries(c.res.headers)
  const headers = {
    ...corsHeaders,
    ...uncachedHeaders,
    'Content-Type': download.mediaType,
    'Content-Disposition': `attachment; filename="${download.fileName}"`,
    ...(isZipped && { 'Content-Encoding': 'gzip' }),
    Vary: 'Accept-Encoding, Authorization',
    ...download.headers,
    ...(download.next !== undefined && { 'Next-Cursor': download.next, Link: resumeLink(c.req.url, download.next) }),
    ...headersOf(c.get('request')),
  }
  if (c.req.method === 'HEAD') return new Response(null, { headers })
  const bytes = await download.open()
  const { outgoing } = c.env
  // Hono cannot add CORS headers to a response that it does not send.
  const isCors = Object.keys(corsHeaders).length > 0
  outgoing.writeHead(200, { ...headers, Vary: isCors ? `${headers.Vary}, Origin` : headers.Vary })
  const stalled = endStalled(outgoing)
  try {
    // On a fault the default pipeline would close the connection.
    const options = { end: false }
    if (isZipped) await pipeline(bytes, download.passOn, createGzip(gzipOptions), outgoing, options)
    else await pipeline(bytes, download.passOn, outgoing, options)
    outgoing.end()
    await finished(outgoing)
    return sent(200)
  } catch (error) {
    if (stalled.aborted) log.warn({ requestId, reason: 'The client stopped reading' }, 'Download interrupted')
    if (stalled.aborted || c.get('clientSignal')().aborted) return sent(clientClosedRequest)
    reset(outgoing)
    log.error({ requestId, err: error }, 'Download interrupted')
    return sent(500)
  }
}

/** @param status in the log and the metrics; its headers were sent with 200. */
const sent = (status: number) => new Response(null, { status, headers: RESPONSE_ALREADY_SENT.headers })
