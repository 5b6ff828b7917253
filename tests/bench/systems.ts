import { Agent, get } from 'node:http'
import { json, text } from 'node:stream/consumers'
import type { TimeRange } from '../../queries/rollups/time-range.ts'
import type { Question } from './bench-query.ts'
import { clickHouse, clickHouseParams, duckDb, inDuckDb } from './dialects.ts'
import type { DuckDb } from './duckdb.ts'
import type { LoadedEngine } from './loaded-engine.ts'
import { type Answer, answerOfRows } from './query-result.ts'
import type { RunningApi } from './running-api.ts'
import { cpuOf } from './watch-process.ts'

/** One answer and what it took. */
export interface Taken {
  readonly answer: Answer
  /** From the question's sending to its answer's last byte, read. */
  readonly milliseconds: number
  /** CPU time of the processes that answered, on all cores; to 10 ms where they are not this one. */
  readonly cpuMilliseconds: number
  readonly rowsRead?: number
  readonly bytesRead?: number
}

/** One that answers questions. */
export interface Contestant {
  /** Throws NotServed where it does not know the question at all, and any other error where it failed. */
  ask(question: Question, window: TimeRange): Promise<Taken>
}

/** The API has no such operation. */
export class NotServed extends Error {}

/** Starts to measure; what it gives tells what has passed since. */
function stopwatch(cpu: () => number): () => Pick<Taken, 'milliseconds' | 'cpuMilliseconds'> {
  const [started, cpuBefore] = [performance.now(), cpu()]
  return () => ({ milliseconds: performance.now() - started, cpuMilliseconds: cpu() - cpuBefore })
}

/** The API over HTTP on a kept connection; the engine's CPU time is counted with its own. */
export function apiContestant(api: RunningApi, engine: LoadedEngine, key: string): Contestant {
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
      const bounds = `from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}`
      const path = await lastPagePath(question, `${question.path}&${bounds}`)
      // A dashboard's key and connections are warm.
      await askPage('/v1/me')
      const requestId = crypto.randomUUID()
      const took = stopwatch(() => cpuOf(api.pid) + engine.cpuMilliseconds())
      const body = JSON.parse(await askPage(path, requestId))
      const times = took()
      const logged = await api.logged(requestId)
      return {
        answer: question.read(body),
        ...times,
        rowsRead: logged.rowsRead,
        bytesRead: logged.bytesRead,
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

/** The engine remembers which ranges of a table a condition found; neither asks what the other has just found. */
const plainSettings = { output_format_json_quote_64bit_integers: 0, use_query_condition_cache: 0 } as const

/** The plain question on the wide table, over HTTP, as the engine's reader. */
export function plainContestant({ reader, cpuMilliseconds }: LoadedEngine): Contestant {
  return {
    async ask(question, window) {
      const statement = question.sql(clickHouse)
      await reader.ping()
      const took = stopwatch(cpuMilliseconds)
      const answer = await reader.stream(statement, 'JSON', {
        params: clickHouseParams(window),
        settings: plainSettings,
      })
      const { data, statistics } = (await json(answer)) as JsonAnswer
      const times = took()
      return {
        answer: answerOfRows(data),
        ...times,
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
      const took = stopwatch(() => {
        const { user, system } = process.cpuUsage()
        return (user + system) / 1000
      })
      const rows = await database.ask(statement)
      const times = took()
      return { answer: answerOfRows(rows), ...times }
    },
  }
}
