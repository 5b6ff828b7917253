import http from 'node:http'
import https from 'node:https'
import { urlToHttpOptions } from 'node:url'
import { parseError } from '@clickhouse/client'

/** One statement as it is sent: values of its `{name:Type}` parameters beside it, never within. */
interface StoreRequest {
  readonly text: string
  readonly params: Readonly<Record<string, string | readonly string[]>>
  /** Settings and what else the interface takes, by their names. */
  readonly settings: Readonly<Record<string, string>>
}

/** Kept connections to a store's HTTP interface, for statements that are asked often. */
export interface StoreRequests {
  /** The answer's text. Rejects with ClickHouseError for what the store refuses, and with the connection's error. */
  send(request: StoreRequest, signal: AbortSignal): Promise<string>
  close(): void
}

/** How the store's own log names this API. */
export const application = 'security-reporting-api'

/** Below the time after which stores close an idle connection. */
export const idleMilliseconds = 2_000

/** UTF-16 units: far more than any question is answered, and far less than what would end this process. */
const longestAnswer = 64 * 1024 * 1024

/**
 * Sends by itself what the official client would, which takes three times the CPU and waits a timer's turn before each
 * request.
 * @param url as `connect` takes it.
 * @param connections at most so many at once; more requests than that must not be under way.
 */
export function openStoreRequests(url: string, connections: number): StoreRequests {
  const parsed = new URL(url)
  const { protocol, hostname, port, auth } = urlToHttpOptions(parsed)
  const database = decodeURIComponent(parsed.pathname.slice(1)) || 'default'
  const web = protocol === 'https:' ? https : http
  const agent = new web.Agent({ keepAlive: true, maxSockets: connections, timeout: idleMilliseconds })
  const target = { hostname, port, auth, agent, method: 'POST', headers: { 'User-Agent': application } }

  return {
    send: ({ text, params, settings }, signal) =>
      new Promise((resolve, reject) => {
        const search = new URLSearchParams({ database, ...settings })
        for (const [name, value] of Object.entries(params)) search.append(`param_${name}`, parameterText(value))
        const request = web.request({ ...target, path: `/?${search}` }, (response) => {
          const { statusCode = 0, headers } = response
          const answered = statusCode === 200 && headers['x-clickhouse-exception-code'] === undefined
          let body = ''
          response.setEncoding('utf8')
          response.on('data', (piece: string) => {
            body += piece
            if (body.length > longestAnswer) response.destroy(new Error('The store answers without end'))
          })
          response.on('end', () => (answered ? resolve(body) : reject(parseError(body))))
          response.on('error', reject)
        })
        request.on('error', reject)
        signal.addEventListener('abort', () => request.destroy(), { once: true })
        request.end(text)
      }),
    close: () => agent.destroy(),
  }
}

const escapes: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', "'": "\\'", '\\': '\\\\' }

const escaped = (value: string) => value.replace(/[\t\n\r'\\]/g, (character) => escapes[character] as string)

/** A parameter's value as the interface reads it: escaped as in TSV, texts of an array in quotes. */
function parameterText(value: string | readonly string[]): string {
  return typeof value === 'string' ? escaped(value) : `[${value.map((one) => `'${escaped(one)}'`).join(',')}]`
}
