/** @module Wrappers around the body of a POST: ours, and those of collectors that write each report as a line. */

import { isObject, reject, withoutByteOrderMark } from '../ndjson/line-error.ts'

type Members = Readonly<Record<string, unknown>>

export interface WrappedBody {
  /** Members beside the body; none for a bare one. */
  readonly wrapper: Members
  /** A line error where it is text, but not JSON. */
  readonly body: unknown
}

/** Names of a receipt time, the first that a line has: ours, Vector's and go-csp-collector's, Logstash's, Fluent Bit's. */
export const timeMembers = ['receivedAt', 'timestamp', '@timestamp', 'date'] as const

/** Members of a go-csp-collector line that are not of its report. */
const logMembers = new Set(['timestamp', 'level', 'message', 'metadata', 'path', 'report_only', 'client_ip'])

/** Accepts a wrapper with a `body` or, as text, a `message`; a report with members beside its own; or a bare body. */
export function unwrapBody(line: unknown): WrappedBody {
  if (!isObject(line)) return { wrapper: {}, body: line }
  if (line['csp-report'] !== undefined || line.type !== undefined) return { wrapper: besideReport(line), body: line }
  if (line.body !== undefined) return { wrapper: line, body: parseBody(line.body) }
  // Vector writes a body that it does not decode as text.
  const { message, ...wrapper } = line
  if (typeof message === 'string' && message !== '') return { wrapper, body: parseBody(message) }
  if (typeof line.document_uri === 'string') return { wrapper: besideReport(line), body: loggedReport(line) }
  return { wrapper: {}, body: line }
}

/** Time and user agent alone: a browser could write the other members itself. */
function besideReport(line: Members): Members {
  const names = [...timeMembers.slice(1), 'User-Agent', 'user-agent']
  return Object.fromEntries(names.filter((name) => line[name] !== undefined).map((name) => [name, line[name]]))
}

/** Report of a go-csp-collector line, which is flat; an old browser's has no disposition. */
function loggedReport(line: Members): object {
  const members = Object.entries(line).filter(([name]) => !logMembers.has(name))
  const disposition = line.disposition || (line.report_only === true ? 'report' : '')
  return { 'csp-report': { ...Object.fromEntries(members), disposition } }
}

function parseBody(body: unknown): unknown {
  if (typeof body !== 'string') return body
  try {
    return JSON.parse(withoutByteOrderMark(body))
  } catch {
    return reject('the body is text, but not JSON')
  }
}
