import { isLineError, isObject, type LineError, reject } from '../ndjson/line-error.ts'
import type { Rejection } from '../ndjson/rejected-line.ts'
import {
  firstText,
  type Members,
  readBodyFields,
  readEnvelopeFields,
  readWrapperFields,
  toNumber,
} from './field-aliases.ts'
import { readReceivedAt } from './received-at.ts'

/** One POST of a browser, or of a collector that passes it on. */
export interface Post {
  /** Milliseconds since the epoch; undefined when the line does not say. */
  readonly receivedAt: number | undefined
  /** The request's header; '' when the line does not say. */
  readonly userAgent: string
  /** The site the line names, in lower case; '' when it names none. */
  readonly siteId: string
  /** The collector's sampling, (0, 1]. */
  readonly sampleRate: number
  /** What may be reports, in the order sent. */
  readonly elements: readonly unknown[]
  /** The line's members but for the body; undefined where the line is a bare body. */
  readonly wrapper: Readonly<Record<string, unknown>> | undefined
}

/** One report of a POST. */
export interface ReportElement {
  readonly type: string
  readonly body: Members
  /** As sent; '' when missing. */
  readonly url: string
  /** Milliseconds between making and sending, not below 0. */
  readonly age: number
  /** '' when missing. */
  readonly userAgent: string
}

const siteIdPattern = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** A line's members with only these elements in its body; without a receipt time of its own it gets this one. */
export function withElements(post: Post, elements: readonly unknown[], importedAt: number): Rejection['content'] {
  const time = post.receivedAt === undefined ? { receivedAt: new Date(importedAt).toISOString() } : undefined
  return { ...post.wrapper, ...time, body: elements }
}

/** Reads a line's JSON: a POST, or the bare body of one (decisions, Where data comes from). */
export function readPost(line: unknown): Post | LineError {
  if (!isPost(line)) return bare(line)
  const body = typeof line.body === 'string' ? parsed(line.body) : line.body
  if (isLineError(body)) return body
  const said = readWrapperFields(line)
  const receivedAt = readReceivedAt(said.receivedAt)
  if (receivedAt === undefined && said.receivedAt !== undefined) {
    return reject('receivedAt is not an RFC 3339 time from 1970 to 2099')
  }
  const sampleRate = said.sampleRate === undefined ? 1 : toNumber(said.sampleRate)
  if (sampleRate === undefined || sampleRate <= 0 || sampleRate > 1) {
    return reject('sampleRate is not a number above 0 and up to 1')
  }
  const siteId = said.site ?? ''
  if (typeof siteId !== 'string' || (siteId !== '' && !siteIdPattern.test(siteId))) return reject('site is not a UUID')
  const elements = elementsOf(body)
  if (isLineError(elements)) return elements
  return {
    receivedAt,
    userAgent: firstText(said, ['userAgent']),
    siteId: siteId.toLowerCase(),
    sampleRate,
    elements,
    wrapper: line,
  }
}

/** A `type` beside the `body` makes it an envelope, as Safari sends it bare. */
function isPost(line: unknown): line is Readonly<Record<string, unknown>> {
  return isObject(line) && line.body !== undefined && line.type === undefined && line['csp-report'] === undefined
}

function bare(body: unknown): Post | LineError {
  const elements = elementsOf(body)
  if (isLineError(elements)) return elements
  return { receivedAt: undefined, userAgent: '', siteId: '', sampleRate: 1, elements, wrapper: undefined }
}

/** The body's shape decides, never a content type (payloads, Envelope). */
function elementsOf(body: unknown): Post['elements'] | LineError {
  if (Array.isArray(body)) return body
  if (isObject(body) && (body['csp-report'] !== undefined || (body.type !== undefined && body.body !== undefined))) {
    return [body]
  }
  return reject('the body is neither an array of reports, nor a csp-report, nor one report')
}

/** Reads one element of a body: an envelope, or a legacy CSP report with or without a type. */
export function readElement(value: unknown): ReportElement | LineError {
  if (!isObject(value)) return reject('a report is not an object')
  const legacy = value['csp-report'] !== undefined
  const type = legacy ? 'csp-violation' : value.type
  const body = legacy ? value['csp-report'] : value.body
  if (typeof type !== 'string' || type === '') return reject('a report has no type')
  if (!isObject(body)) return reject('a report has no body')
  const envelope = readEnvelopeFields(value)
  return {
    type,
    body: readBodyFields(body),
    url: firstText(envelope, ['url']),
    age: Math.max(0, toNumber(envelope.age) ?? 0),
    userAgent: firstText(envelope, ['userAgent']),
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return reject('the body is text, but not JSON')
  }
}
