import { HttpResponse, http, passthrough } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, beforeAll } from 'vitest'

/** A command or an insert of the official client. */
export interface PlayedStatement {
  /** Address of its server. */
  readonly origin: string
  /** SQL without the rows of an insert. */
  readonly text: string
  /** Settings, database and `query_id`. */
  readonly search: URLSearchParams
}

export interface Exception {
  readonly code: number | string
  readonly message: string
}

/**
 * Plays ClickHouse's responses to the statements of a file's tests by msw. Reads have another transport, which msw does not
 * see: see `fake-clickhouse.ts`.
 * @param respond an exception, or whether the statement is taken; undefined leaves it to its server.
 */
export function playStatements(respond: (statement: PlayedStatement) => Exception | 'done' | undefined): void {
  const server = setupServer(
    http.post('*', async ({ request }) => {
      const { origin, searchParams: search } = new URL(request.url)
      if (!search.has('query_id')) return passthrough()
      const response = respond({ origin, text: search.get('query') ?? (await request.clone().text()), search })
      if (response === undefined) return passthrough()
      return response === 'done' ? HttpResponse.text('') : exceptionResponse(response)
    }),
  )
  beforeAll(() => server.listen({ onUnhandledRequest: 'bypass' }))
  afterAll(() => server.close())
}

/** Response with its length, without which msw does not end that of an error. */
export const exceptionResponse = ({ code, message }: Exception, status = 500): Response =>
  HttpResponse.text(`Code: ${code}. DB::Exception: ${message} (SOME_NAME) (version 26.7.2.1)\n`, {
    status,
    headers: { 'X-ClickHouse-Exception-Code': String(code) },
  })
