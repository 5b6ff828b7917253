import { randomUUID, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Role } from './access.ts'
import { engineError } from './errors.ts'
import { urlParameters } from './url-parameters.ts'

/** What one HTTP request asks of the engine, apart from its body. */
export type EngineRequest = {
  role: Role
  /** GET and HEAD may not write (ClickHouse HTTP interface), nor may who asks for that by the setting of this name. */
  readonly: boolean
  queryId: string
  /** Tells this request from any other of this process, whatever query id its caller chose. */
  serial: number
  database: string
  /** The format where the query names none. */
  format: string
  /** Whether the caller wants a compressed answer. */
  gzip: boolean
  query: string
  settings: [string, string][]
  parameters: [string, Buffer][]
}

const httpOnly = new Set([
  'add_http_cors_header',
  'buffer_size',
  'client_protocol_version',
  'close_session',
  'database',
  'default_format',
  'enable_http_compression',
  'http_headers_progress_interval_ms',
  'http_native_compression_disable_checksumming_on_decompress',
  'http_response_buffer_size',
  'http_wait_end_of_query',
  'http_write_exception_in_output_format',
  'http_zlib_compression_level',
  'password',
  'query',
  'query_id',
  'quota_key',
  'send_progress_in_http_headers',
  'send_profile_events',
  'stacktrace',
  'user',
  'wait_end_of_query',
])

const refused = new Set(['session_id', 'session_timeout', 'session_check', 'role', 'compress', 'decompress', 'profile'])

let requests = 0

/** Reads URL and headers; throws code 516 for a wrong password and 48 for what the embedded engine does not do. */
export function readEngineRequest(incoming: IncomingMessage, writerPassword: string): EngineRequest {
  const url = incoming.url ?? ''
  // A further "?" is part of a value (RFC 3986, 3.4).
  const all = urlParameters(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '')
  const one = (name: string) => all.findLast(([key]) => key === name)?.[1].toString('utf8')
  const header = (name: string) => incoming.headers[name]?.toString()
  const mayOnlyRead = ['1', '2'].includes(one('readonly') ?? '')
  const settings: [string, string][] = []
  for (const [name, value] of all) {
    if (httpOnly.has(name) || name.startsWith('param_') || (name === 'readonly' && mayOnlyRead)) continue
    if (refused.has(name)) {
      if (value.length === 0 || value.equals(Buffer.from('0'))) continue
      throw engineError('notImplemented', `The embedded engine does not support the HTTP parameter ${name}`)
    }
    if (!/^[A-Za-z_]\w*$/.test(name)) throw engineError('badArguments', `Invalid setting name ${JSON.stringify(name)}`)
    settings.push([name, value.toString('utf8')])
  }
  return {
    role: authenticate(incoming, one('user'), one('password'), writerPassword),
    readonly: incoming.method !== 'POST' || mayOnlyRead,
    serial: ++requests,
    queryId: one('query_id') || randomUUID(),
    database: one('database') || header('x-clickhouse-database') || 'default',
    format: one('default_format') || header('x-clickhouse-format') || 'TabSeparated',
    gzip: one('enable_http_compression') === '1' && /\bgzip\b/.test(header('accept-encoding') ?? ''),
    query: one('query') ?? '',
    settings,
    parameters: all.filter(([name]) => name.startsWith('param_')).map(([name, value]) => [name.slice(6), value]),
  }
}

/** Nobody and `default` are the reader, who needs no password; the writer needs the one of this data directory. */
function authenticate(
  incoming: IncomingMessage,
  urlUser: string | undefined,
  urlPassword: string | undefined,
  writerPassword: string,
): Role {
  const basic = /^Basic\s+(\S+)$/i.exec(incoming.headers.authorization ?? '')?.[1]
  const decoded = basic === undefined ? undefined : Buffer.from(basic, 'base64').toString('utf8')
  const colon = decoded?.indexOf(':') ?? -1
  const user =
    incoming.headers['x-clickhouse-user']?.toString() ??
    (decoded === undefined ? urlUser : decoded.slice(0, colon < 0 ? undefined : colon)) ??
    'default'
  const password =
    incoming.headers['x-clickhouse-key']?.toString() ??
    (decoded === undefined ? urlPassword : colon < 0 ? '' : decoded.slice(colon + 1)) ??
    ''
  if ((user === 'default' || user === 'reader' || user === '') && password === '') return 'reader'
  if (user === 'writer' && sameText(password, writerPassword)) return 'writer'
  throw engineError(
    'authenticationFailed',
    `${user}: Authentication failed: password is incorrect, or there is no such user.`,
  )
}

function sameText(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)]
  return a.length === b.length && timingSafeEqual(a, b)
}
