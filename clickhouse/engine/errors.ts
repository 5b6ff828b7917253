/** An exception with ClickHouse's number, so that HTTP clients see what a server would say. */
export class EngineError extends Error {
  readonly code: number
  readonly type: string

  constructor(code: number, type: string, message: string) {
    super(message)
    this.code = code
    this.type = type
  }
}

/** Error numbers this process raises itself; the rest come from the engine. Source: ClickHouse ErrorCodes.cpp. */
export const errorCodes = {
  badArguments: [36, 'BAD_ARGUMENTS'],
  unknownFormat: [73, 'UNKNOWN_FORMAT'],
  syntaxError: [62, 'SYNTAX_ERROR'],
  readonly: [164, 'READONLY'],
  tooManyQueries: [202, 'TOO_MANY_SIMULTANEOUS_QUERIES'],
  queryTooLarge: [229, 'QUERY_IS_TOO_LARGE'],
  notImplemented: [48, 'NOT_IMPLEMENTED'],
  cancelled: [394, 'QUERY_WAS_CANCELLED'],
  accessDenied: [497, 'ACCESS_DENIED'],
  authenticationFailed: [516, 'AUTHENTICATION_FAILED'],
  unknown: [1002, 'UNKNOWN_EXCEPTION'],
} as const satisfies Record<string, readonly [number, string]>

/** Makes an error of a known kind. */
export function engineError(kind: keyof typeof errorCodes, message: string): EngineError {
  const [code, type] = errorCodes[kind]
  return new EngineError(code, type, message)
}

/** Some messages quote the query with the comment that this process puts before it. */
const queryMarker = /\/\* query_id: [\w.:-]* #\d+ \*\/ /g

/** Reads `Code: N. DB::Exception: text (NAME)` out of what the addon throws; chDB wraps it up to three times. */
export function toEngineError(thrown: unknown): EngineError {
  if (thrown instanceof EngineError) return thrown
  const thrownText = thrown instanceof Error ? thrown.message : String(thrown)
  const text = thrownText.replace(queryMarker, '')
  const code = /Code: (\d+)\. DB::Exception: /.exec(text)?.[1]
  if (code === undefined) return engineError('unknown', text)
  const message = text.replace(/^[\s\S]*?(?=Code: \d+\. DB::Exception: )(?:Code: \d+\. DB::Exception: )+/, '')
  const type = /\(([A-Z][A-Z0-9_]+)\)\s*$/.exec(message)?.[1] ?? 'UNKNOWN_EXCEPTION'
  return new EngineError(Number(code), type, withoutEndings(message))
}

/** Without the names and versions that each layer puts behind it. From the end, because the text before can be a caller's. */
function withoutEndings(message: string): string {
  let bare = message.trimEnd()
  for (let at = bare.lastIndexOf('('); at >= 0 && ending.test(bare.slice(at)); at = bare.lastIndexOf('(')) {
    bare = bare.slice(0, at).trimEnd()
  }
  return bare
}

const ending = /^\((?:[A-Z][A-Z0-9_]+|version [^()]*)\)\.?$/

/** The text of an error body. */
export function exceptionText(error: EngineError): string {
  return `Code: ${error.code}. DB::Exception: ${error.message} (${error.type})\n`
}

const badRequest = new Set([
  6, 8, 15, 25, 26, 27, 36, 37, 38, 41, 44, 53, 62, 72, 117, 123, 167, 168, 223, 321, 376, 427, 441, 675, 676,
])
const notFound = new Set([46, 47, 50, 56, 60, 63, 73, 78, 81, 115, 152, 336, 511])
const forbidden = new Set([192, 193, 516, 512, 497])
const others: Record<number, number> = {
  48: 501,
  76: 503,
  159: 408,
  194: 401,
  202: 503,
  209: 503,
  229: 413,
  381: 411,
  439: 503,
  779: 415,
}

/** The status a ClickHouse server gives an error. Source: ClickHouse exceptionCodeToHTTPStatus.cpp; 202 is ours (503). */
export function statusOf(error: EngineError): number {
  const other = others[error.code]
  if (other !== undefined) return other
  if (forbidden.has(error.code)) return 403
  if (notFound.has(error.code)) return 404
  return badRequest.has(error.code) ? 400 : 500
}
