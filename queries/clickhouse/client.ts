import { Readable } from 'node:stream'
import { type ClickHouseSettings, createClient, EXCEPTION_TAG_HEADER_NAME } from '@clickhouse/client'
import type { Query } from '../sql/query.ts'
import { render } from '../sql/sql.ts'
import { type TakeTurn, takeTurns } from './concurrency-limiter.ts'
import { answerRows } from './exception-trailer.ts'
import { application, idleMilliseconds, openStoreRequests } from './http-transport.ts'
import { type Lane, laneSettings, lanes } from './query-pools.ts'
import { toProblem } from './to-problem.ts'
import { inTime, onceMore } from './with-timeout.ts'

/** What an SRE finds in the store's own query log beside a statement. */
export interface QueryOrigin {
  readonly endpoint: string
  readonly tenantId: string
  readonly requestId: string
}

/** What a statement cost the store. */
export interface QueryCost {
  readonly rowsRead: number
  readonly bytesRead: number
  /** Inside the engine. */
  readonly milliseconds: number
}

/** What goes with a read. */
export interface ReadOptions {
  readonly origin?: QueryOrigin
  readonly onCost?: (cost: QueryCost) => void
  /** Aborted when the caller leaves. */
  readonly leaving?: AbortSignal | undefined
}

/** What travels beside a statement: values of its `{name:Type}` parameters, and settings. */
export interface StatementOptions {
  readonly params?: Record<string, unknown>
  readonly settings?: ClickHouseSettings
}

/** A connection pool to one ClickHouse, as one of its users. */
export interface Database {
  /**
   * Every row of a query's answer. Throws Problem(upstream_unavailable) when the store cannot answer now, CallerLeft when
   * nobody waits for it any more, where the store then stops, and any other error for a defect of ours.
   */
  read<Row>(query: Query<Row>, options?: ReadOptions): Promise<Row[]>
  /** One statement that answers nothing. Throws what the store says. */
  command(statement: string, options?: StatementOptions): Promise<void>
  /** Rows in the statement's format, sent as they are. Throws what the store says. */
  insert(statement: string, rows: Readable | Buffer, settings?: ClickHouseSettings): Promise<void>
  /** Any statement's answer as it comes, in the format asked for where it names none. Throws what the store says. */
  stream(statement: string, format: string, options?: StatementOptions): Promise<AsyncIterable<Buffer>>
  /** Whether the store answers at all, within two seconds. */
  ping(): Promise<boolean>
  close(): Promise<void>
}

interface JsonCompact {
  readonly meta: readonly { readonly name: string }[]
  readonly data: readonly (readonly unknown[])[]
  readonly rows: number
  readonly statistics?: { readonly elapsed: number; readonly rows_read: number; readonly bytes_read: number }
}

/** Reads a whole answer. Throws on half of one, and on what is none, such as a proxy's page. */
function parseAnswer(body: string): JsonCompact {
  const answer = JSON.parse(body) as Partial<JsonCompact> & { readonly exception?: string }
  if (answer.exception !== undefined) throw new Error(`The store broke off its answer: ${answer.exception}`)
  if (!Array.isArray(answer.meta) || !Array.isArray(answer.data) || answer.data.length !== answer.rows) {
    throw new Error('The store gave half an answer, or none')
  }
  return answer as JsonCompact
}

const readSettings = {
  default_format: 'JSONCompact',
  date_time_output_format: 'iso',
  output_format_json_quote_64bit_integers: '0',
  output_format_json_escape_forward_slashes: '0',
  // Two threads more for each statement, whose answer is small: they would take a tenth of its time, of a look-up half.
  output_format_parallel_formatting: '0',
  // Before 25.11 a server ends an answer that fails midway as if it were whole.
  http_write_exception_in_output_format: '0',
}

/**
 * @param url `http(s)://user:password@host:port/database`.
 */
export function connect(url: string): Database {
  const client = createClient({
    url,
    application,
    request_timeout: 10 * 60_000,
    keep_alive: { enabled: true, idle_socket_ttl: idleMilliseconds },
    log: { level: 127 },
  })
  // A read that is given up while it waits for a socket breaks a later one on that socket, so none waits there: the
  // lanes hold it back.
  const atOnce = Object.values(lanes).reduce((sum, lane) => sum + lane.atOnce, 0)
  const requests = openStoreRequests(url, atOnce)
  const turns = Object.fromEntries(Object.entries(lanes).map(([lane, row]) => [lane, takeTurns(row)])) as Record<
    Lane,
    TakeTurn
  >

  return {
    async read(query, { origin, onCost, leaving } = {}) {
      const { lane = 'question' } = query
      const rendered = render(query.statement)
      const ask = async (signal: AbortSignal) => {
        // Its turn can come after its time is over.
        signal.throwIfAborted()
        const settings = {
          ...readSettings,
          ...(origin && { query_id: `${origin.requestId}-${crypto.randomUUID()}` }),
          ...laneSettings(lane),
          log_comment: JSON.stringify({ ...origin, query: query.name }),
        }
        return parseAnswer(await requests.send({ ...rendered, settings }, signal))
      }
      const { meta, data, statistics } = await inTime(
        lanes[lane].deadlineMilliseconds,
        (signal) => turns[lane](origin?.tenantId, () => onceMore(() => ask(signal), signal)),
        leaving,
      ).catch((error: unknown) => {
        throw toProblem(error)
      })
      if (statistics && onCost) {
        const { elapsed, rows_read, bytes_read } = statistics
        onCost({ rowsRead: rows_read, bytesRead: bytes_read, milliseconds: elapsed * 1000 })
      }
      const names = meta.map(({ name }) => name)
      return data.map((values) => query.row.parse(toObject(names, values)))
    },
    async command(statement, { params, settings } = {}) {
      await client.command({
        query: statement,
        ...(params && { query_params: params }),
        ...(settings && { clickhouse_settings: settings }),
      })
    },
    async insert(statement, rows, settings) {
      const { stream } = await client.exec({
        query: statement,
        values: Buffer.isBuffer(rows) ? Readable.from([rows], { objectMode: false }) : rows,
        ...(settings && { clickhouse_settings: settings }),
      })
      for await (const _ of stream);
    },
    async stream(statement, format, { params, settings } = {}) {
      const { stream, response_headers } = await client.exec({
        query: statement,
        ...(params && { query_params: params }),
        clickhouse_settings: { ...settings, default_format: format } as ClickHouseSettings,
      })
      const tag = response_headers[EXCEPTION_TAG_HEADER_NAME]?.toString()
      return answerRows(stream, tag)
    },
    async ping() {
      try {
        await client
          .query({ query: 'SELECT 1', format: 'JSON', abort_signal: AbortSignal.timeout(2_000) })
          .then((result) => result.text())
        return true
      } catch {
        return false
      }
    },
    async close() {
      requests.close()
      await client.close()
    },
  }
}

/** Values by their columns' names. */
function toObject(names: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  for (const [index, name] of names.entries()) row[name] = values[index]
  return row
}
