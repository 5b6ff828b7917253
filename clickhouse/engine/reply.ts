import type { ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { EngineRequest } from './engine-request.ts'
import { type EngineError, exceptionText, statusOf } from './errors.ts'
import { contentTypeOf } from './formats.ts'

const compress = promisify(gzip)

/** Counters of X-ClickHouse-Summary. */
export type Summary = {
  readRows?: number
  readBytes?: number
  resultRows?: number
  resultBytes?: number
  writtenRows?: number
  writtenBytes?: number
  elapsedSeconds: number
}

/** A caller's own text as a header may hold it (RFC 9110, 5.5): anything else would end the process. */
const headerText = (text: string) => text.replace(/[^ -~]/g, '?')

/** The headers of every answer to a query. */
export function queryHeaders(request: EngineRequest, format: string): Record<string, string> {
  return {
    'Content-Type': contentTypeOf(format),
    'X-ClickHouse-Server-Display-Name': 'embedded',
    'X-ClickHouse-Query-Id': headerText(request.queryId),
    'X-ClickHouse-Format': headerText(format),
    'X-ClickHouse-Timezone': 'UTC',
    'Cache-Control': 'no-store',
  }
}

/** X-ClickHouse-Summary: a JSON object of strings. */
export function summaryHeader(summary: Summary): string {
  return JSON.stringify({
    read_rows: String(summary.readRows ?? 0),
    read_bytes: String(summary.readBytes ?? 0),
    written_rows: String(summary.writtenRows ?? 0),
    written_bytes: String(summary.writtenBytes ?? 0),
    total_rows_to_read: String(summary.readRows ?? 0),
    result_rows: String(summary.resultRows ?? 0),
    result_bytes: String(summary.resultBytes ?? 0),
    elapsed_ns: String(Math.round(summary.elapsedSeconds * 1e9)),
  })
}

/** Answers with a whole body. */
export async function replyWhole(
  response: ServerResponse,
  request: EngineRequest,
  format: string,
  body: Buffer,
  summary: Summary,
): Promise<void> {
  const headers = { ...queryHeaders(request, format), 'X-ClickHouse-Summary': summaryHeader(summary) }
  const packed = request.gzip && body.length > 0 ? await compress(body, { level: 3 }) : body
  response.writeHead(200, {
    ...headers,
    ...(packed === body ? {} : { 'Content-Encoding': 'gzip' }),
    'Content-Length': packed.length,
  })
  response.end(packed)
}

/** Answers with an error the way a ClickHouse server does. */
export function replyError(response: ServerResponse, error: EngineError, request?: EngineRequest): void {
  const body = Buffer.from(exceptionText(error))
  response.writeHead(statusOf(error), {
    ...(request ? queryHeaders(request, request.format) : {}),
    'Content-Type': 'text/plain; charset=UTF-8',
    'X-ClickHouse-Exception-Code': String(error.code),
    'Content-Length': body.length,
  })
  response.end(body)
}
