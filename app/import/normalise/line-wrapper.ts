/** @module Wrappers around the body of a POST: our own, and those of collectors that write one report per line. */

import { isObject, reject, withoutByteOrderMark } from '../ndjson/line-error.ts'
import { spellings, timeMembers } from './field-aliases.ts'

type Members = Readonly<Record<string, unknown>>

export interface WrappedBody {
  /** Members other than the body; none for a bare body. */
  readonly wrapper: Members
  /** A line error if the body is text but not JSON. */
  readonly body: unknown
}

const timeNames = timeMembers.flatMap(spellings)

/** Members that shippers such as Vector (`decoding: json`) add to a report; only time and user agent are read. */
const shipperMembers = new Set([...timeNames, 'User-Agent', 'user-agent', 'path', 'source_type'])

/** Members of a go-csp-collector line that are not of its report. */
const logMembers = new Set([...timeNames, 'level', 'message', 'metadata', 'path', 'report_only', 'client_ip'])

/** Accepts a wrapper with a `body` or, as text, a `message`; a report with additional members; or a bare body. */
export function unwrapBody(line: unknown): WrappedBody {
  if (!isObject(line)) return { wrapper: {}, body: line }
  if (isReport(line)) return splitReport(line)
  if (line.body !== undefined) return unwrap(line, parseBody(line.body))
  // Vector writes a body that it does not decode as text.
  const { message, ...wrapper } = line
  if (typeof message === 'string' && message !== '') return unwrap(wrapper, parseBody(message))
  if (typeof line.document_uri === 'string') {
    return { wrapper: splitReport(line).wrapper, body: loggedReport(line) }
  }
  return { wrapper: {}, body: line }
}

const isReport = (line: Members) => line['csp-report'] !== undefined || line.type !== undefined

/** A time next to the report counts if the wrapper has none. */
function unwrap(wrapper: Members, body: unknown): WrappedBody {
  const hasTime = timeNames.some((name) => wrapper[name] !== undefined)
  if (hasTime || !isObject(body) || !isReport(body)) return { wrapper, body }
  const inner = splitReport(body)
  return { wrapper: { ...inner.wrapper, ...wrapper }, body: inner.body }
}

/** Separates members that shippers add; a browser could send these members too. */
function splitReport(line: Members): { readonly wrapper: Members; readonly body: Members } {
  const [beside, own] = [new Map<string, unknown>(), new Map<string, unknown>()]
  for (const name in line) (shipperMembers.has(name) ? beside : own).set(name, line[name])
  return { wrapper: Object.fromEntries(beside), body: Object.fromEntries(own) }
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
