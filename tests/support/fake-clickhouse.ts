import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { type Exception, exceptionResponse } from './played-statements.ts'

export interface FakeRead {
  /** Name of its query; '' for a sign of life. */
  readonly query: string
  readonly text: string
  /** Values in the order of its statement. */
  readonly values: readonly string[]
  readonly search: URLSearchParams
}

type Row = Readonly<Record<string, unknown>>

/** Rows, an exception, the text of a sign of life, or null for a connection that ends; undefined for no rows. */
export type FakeResponse = readonly Row[] | Exception | string | null | undefined

/** Responds to reads as a server in a state that a real one cannot be brought into on demand. */
export interface FakeClickHouse {
  readonly origin: string
  close(): Promise<void>
}

/** @param port any free one by default. */
export async function startFakeClickHouse(
  respond: (read: FakeRead) => FakeResponse,
  port = 0,
): Promise<FakeClickHouse> {
  const server = createServer(async (request, response) => {
    const search = new URL(request.url ?? '', 'http://clickhouse').searchParams
    const comment = search.get('log_comment')
    const query = comment ? JSON.parse(comment).query : ''
    const values = [...search].filter(([name]) => name.startsWith('param_p')).map(([, value]) => value)
    const found = respond({ query, text: await text(request), values, search })
    if (found === null) return void request.socket.destroy()
    if (typeof found === 'string') return void response.end(found)
    if (found !== undefined && 'code' in found) {
      const exception = exceptionResponse(found)
      response.writeHead(exception.status, Object.fromEntries(exception.headers))
      return void response.end(await exception.text())
    }
    response.end(query === '' ? '' : jsonCompact(found ?? []))
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function jsonCompact(rows: readonly Row[]): string {
  const names = Object.keys(rows[0] ?? {})
  return JSON.stringify({
    meta: names.map((name) => ({ name })),
    data: rows.map((row) => names.map((name) => row[name])),
    rows: rows.length,
  })
}

/** A URL of the nodes, as the writer. */
export const urlOfNodes = (nodes: readonly Pick<FakeClickHouse, 'origin'>[]) =>
  `http://writer:w@${nodes.map(({ origin }) => new URL(origin).host).join(',')}/reports`
