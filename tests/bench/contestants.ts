import { Agent, get } from 'node:http'
import { json, text } from 'node:stream/consumers'
import type { Database } from '../../queries/clickhouse.ts'
import type { Span } from '../../queries/rules/coverage.ts'
import { type Answer, answerOfRows } from './answers.ts'
import { clickHouse, clickHouseParams, duckDb, inDuckDb } from './dialects.ts'
import type { DuckDb } from './duckdb.ts'
import type { EngineWatch } from './engine-watch.ts'
import type { Question } from './question.ts'
import type { RunningApi } from './running-api.ts'

/** One answer and what it took. */
export interface Taken {
  readonly answer: Answer
  /** From the question's sending to its answer's last byte, read. */
  readonly milliseconds: number
  readonly rowsRead?: number
  readonly bytesRead?: number
  /** What the API took beyond the time in which the engine worked for it. */
  readonly overheadMilliseconds?: number
}

/** One that answers questions. */
export interface Contestant {
  /** Throws NotServed where it does not know the question at all, and any other error where it failed. */
  ask(question: Question, window: Span): Promise<Taken>
}

/** The API has no such operation. */
export class NotServed extends Error {}

/** The API over HTTP on a kept connection. */
export function apiContestant(api: RunningApi, key: string, watch: EngineWatch): Contestant {
  const agent = new Agent({ keepAlive: true })
  const ask = (path: string, requestId: string) =>
    new Promise<{ status: number; body: string }>((resolve, reject) => {
      const headers = { Authorization: `Bearer ${key}`, 'X-Request-Id': requestId }
      get(api.url + path, { agent, headers }, (response) => {
        text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject)
      }).on('error', reject)
    })

  async function askPage(path: string, requestId = crypto.randomUUID()) {
    const { status, body } = await ask(path, requestId)
    if (status === 404 && body.includes('There is no such path')) throw new NotServed(path)
    if (status !== 200) throw new Error(`The API answered ${status} to ${path}: ${body}`)
    return body
  }

  async function lastPagePath(question: Question, path: string): Promise<string> {
    let cursor: string | undefined
    for (let page = 1; page < (question.page ?? 1); page++) {
      cursor = JSON.parse(await askPage(pageOf(path, cursor))).nextCursor
      if (!cursor) throw new Error(`${path} has no page ${page + 1}`)
    }
    return pageOf(path, cursor)
  }

  return {
    async ask(question, { from, to }) {
      const times = `from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}`
      const path = await lastPagePath(question, `${question.path}&${times}`)
      // A dashboard's key and connections are warm.
      await askPage('/v1/me')
      const requestId = crypto.randomUUID()
      const started = performance.now()
      const body = JSON.parse(await askPage(path, requestId))
      const milliseconds = performance.now() - started
      const logged = await api.logged(requestId)
      return {
        answer: question.read(body),
        milliseconds,
        rowsRead: logged.rowsRead,
        bytesRead: logged.bytesRead,
        overheadMilliseconds: logged.milliseconds - watch.busyMilliseconds(requestId),
      }
    },
  }
}

/** Cursors stand beside the window that they froze. */
const pageOf = (path: string, cursor: string | undefined) =>
  cursor === undefined ? path : `${path}&cursor=${encodeURIComponent(cursor)}`

interface JsonAnswer {
  readonly data: readonly Record<string, unknown>[]
  readonly statistics: { readonly rows_read: number; readonly bytes_read: number }
}

/** The plain question on the wide table, over HTTP, as the engine's reader. */
export function plainContestant(reader: Database): Contestant {
  return {
    async ask(question, window) {
      const statement = question.sql(clickHouse)
      await reader.ping()
      const started = performance.now()
      const answer = await reader.stream(statement, 'JSON', {
        params: clickHouseParams(window),
        settings: { output_format_json_quote_64bit_integers: 0 },
      })
      const { data, statistics } = (await json(answer)) as JsonAnswer
      const milliseconds = performance.now() - started
      return {
        answer: answerOfRows(data),
        milliseconds,
        rowsRead: statistics.rows_read,
        bytesRead: statistics.bytes_read,
      }
    },
  }
}

/** DuckDB in this process. */
export function duckDbContestant(database: DuckDb): Contestant {
  return {
    async ask(question, window) {
      const statement = inDuckDb(question.sql(duckDb), window)
      const started = performance.now()
      const rows = await database.ask(statement)
      return { answer: answerOfRows(rows), milliseconds: performance.now() - started }
    },
  }
}
