import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface FakeStatement {
  /** Name of a read's query; '' for a command. */
  readonly query: string
  readonly text: string
  readonly database: string
  /** Values of a read in the order of its statement. */
  readonly values: readonly string[]
}

/** Rows of a read, or an exception; undefined for no rows. */
export type FakeResponse =
  | readonly Readonly<Record<string, unknown>>[]
  | { readonly code: number; readonly message: string }
  | undefined

/** Stands for a server of a state that a real one cannot be brought into on demand. */
export interface FakeClickHouse {
  readonly origin: string
  /** Commands that did not fail, in order. */
  readonly commands: readonly string[]
  close(): Promise<void>
}

/** @param port any free one by default. */
export async function startFakeClickHouse(
  respond: (statement: FakeStatement) => FakeResponse,
  port = 0,
): Promise<FakeClickHouse> {
  const commands: string[] = []
  const server = createServer(async (request, response) => {
    const search = new URL(request.url ?? '', 'http://clickhouse').searchParams
    const comment = search.get('log_comment')
    const query = comment ? JSON.parse(comment).query : ''
    const values = [...search].filter(([name]) => name.startsWith('param_p')).map(([, value]) => value)
    const statement = { query, text: await text(request), database: search.get('database') ?? '', values }
    const found = respond(statement)
    if (found !== undefined && 'code' in found) {
      response.writeHead(500, { 'X-ClickHouse-Exception-Code': String(found.code) })
      response.end(`Code: ${found.code}. DB::Exception: ${found.message} (SOME_NAME) (version 26.7.2.1)\n`)
      return
    }
    if (query === '') commands.push(statement.text)
    response.end(comment === null ? '' : jsonCompact((found ?? []) as readonly Readonly<Record<string, unknown>>[]))
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    commands,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function jsonCompact(rows: readonly Readonly<Record<string, unknown>>[]): string {
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
