/** @module The systems under test: the API, plain SQL on ClickHouse, and DuckDB. */

import { Agent, get } from 'node:http'
import { json, text } from 'node:stream/consumers'
import type { TimeRange } from '../../schema/rules/time/time-range.ts'
import type { BenchQuery } from './bench-query.ts'
import { bindDuckDb, clickHouse, clickHouseParams, duckDb } from './dialects.ts'
import type { DuckDb } from './duckdb.ts'
import type { LoadedEngine } from './loaded-engine.ts'
import { type QueryResult, resultOfRows } from './query-result.ts'
import type { RunningApi } from './running-api.ts'
import { cpuOf } from './watch-process.ts'

/** One execution of a query on one system. */
export interface QueryRun {
  readonly result: QueryResult
  /** From sending the query to reading the last byte. */
  readonly latencyMs: number
  /** CPU time of the serving processes on all cores; in steps of 10 ms for other processes. */
  readonly cpuMs: number
  readonly rowsRead?: number
  readonly bytesRead?: number
}

export interface SystemUnderTest {
  run(query: BenchQuery, window: TimeRange): Promise<QueryRun>
}

function startStopwatch(cpu: () => number): () => Pick<QueryRun, 'latencyMs' | 'cpuMs'> {
  const [startedAt, cpuBefore] = [performance.now(), cpu()]
  return () => ({ latencyMs: performance.now() - startedAt, cpuMs: cpu() - cpuBefore })
}

/** The API over one HTTP connection; its CPU time includes ClickHouse's. */
export function apiSystem(api: RunningApi, engine: LoadedEngine, key: string): SystemUnderTest {
  const agent = new Agent({ keepAlive: true })
  const send = (path: string, requestId: string) =>
    new Promise<{ status: number; body: string }>((resolve, reject) => {
      const headers = { Authorization: `Bearer ${key}`, 'X-Request-Id': requestId }
      get(api.url + path, { agent, headers }, (response) => {
        text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject)
      }).on('error', reject)
    })

  async function fetchBody(path: string, requestId = crypto.randomUUID()): Promise<string> {
    const { status, body } = await send(path, requestId)
    if (status !== 200) throw new Error(`The API returned ${status} for ${path}: ${body}`)
    return body
  }

  async function lastPagePath(query: BenchQuery, path: string): Promise<string> {
    let cursor: string | undefined
    for (let page = 1; page < (query.page ?? 1); page++) {
      cursor = JSON.parse(await fetchBody(pagePath(path, cursor))).nextCursor
      if (!cursor) throw new Error(`${path} has no page ${page + 1}`)
    }
    return pagePath(path, cursor)
  }

  return {
    async run(query, { from, to }) {
      const bounds = `from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}`
      const path = await lastPagePath(query, `${query.path}&${bounds}`)
      // A dashboard's key and connection are warm.
      await fetchBody('/v1/me')
      const requestId = crypto.randomUUID()
      const stop = startStopwatch(() => cpuOf(api.pid) + engine.cpuMs())
      const body = JSON.parse(await fetchBody(path, requestId))
      const times = stop()
      const { rowsRead, bytesRead } = await api.logged(requestId)
      return { result: query.parseBody(body), ...times, rowsRead, bytesRead }
    },
  }
}

const pagePath = (path: string, cursor: string | undefined) =>
  cursor === undefined ? path : `${path}&cursor=${encodeURIComponent(cursor)}`

interface JsonFormat {
  readonly data: readonly Record<string, unknown>[]
  readonly statistics: { readonly rows_read: number; readonly bytes_read: number }
}

/** Without the query condition cache, neither system gains from ranges that the other has found. */
const plainSettings = { output_format_json_quote_64bit_integers: 0, use_query_condition_cache: 0 } as const

/** Plain SQL on the wide table, over HTTP, as the writer, which no row policy limits. */
export function plainSystem({ writer, cpuMs }: LoadedEngine): SystemUnderTest {
  return {
    async run(query, window) {
      const statement = query.sql(clickHouse)
      await writer.ping()
      const stop = startStopwatch(cpuMs)
      const stream = await writer.stream(statement, 'JSON', {
        params: clickHouseParams(window),
        settings: plainSettings,
      })
      const { data, statistics } = (await json(stream)) as JsonFormat
      const times = stop()
      return {
        result: resultOfRows(data),
        ...times,
        rowsRead: statistics.rows_read,
        bytesRead: statistics.bytes_read,
      }
    },
  }
}

/** DuckDB in this process. */
export function duckDbSystem(database: DuckDb): SystemUnderTest {
  return {
    async run(query, window) {
      const statement = bindDuckDb(query.sql(duckDb), window)
      const stop = startStopwatch(() => {
        const { user, system } = process.cpuUsage()
        return (user + system) / 1000
      })
      const rows = await database.query(statement)
      const times = stop()
      return { result: resultOfRows(rows), ...times }
    },
  }
}
