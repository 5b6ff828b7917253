/** @module Reads a line as a browser's POST, and its body as reports; a missing text is ''. */

import { maxClockSkewMs } from '../../../schema/record-fields.ts'
import { isLineError, isObject, type LineError, reject } from '../ndjson/line-error.ts'
import type { Rejection } from '../ndjson/rejected-line.ts'
import {
  type Fields,
  firstText,
  readBodyFields,
  readEnvelopeFields,
  readWrapperFields,
  timeMembers,
  toNumber,
} from './field-aliases.ts'
import { unwrapBody } from './line-wrapper.ts'
import { readReceivedAt } from './received-at.ts'

export interface Post {
  readonly receivedAt: number | undefined
  readonly userAgent: string
  readonly siteId: string
  readonly sampleRate: number
  readonly elements: readonly unknown[]
  /** Fields of the line other than its body. */
  readonly wrapper: Readonly<Record<string, unknown>>
}

export interface ReportElement {
  readonly type: string
  readonly body: Fields
  readonly url: string
  /** Milliseconds between making and sending, not below 0. */
  readonly age: number
  readonly userAgent: string
  /** Members that nothing reads, inside and outside the body; untrusted. */
  readonly rest: ReadonlyMap<string, unknown>
}

const siteIdPattern = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** Fields of the line with these elements as its body, and `importedAt` if it has no receipt time. */
export function withElements(post: Post, elements: readonly unknown[], importedAt: number): Rejection['content'] {
  const time = post.receivedAt === undefined ? { receivedAt: new Date(importedAt).toISOString() } : undefined
  return { ...post.wrapper, ...time, body: elements }
}

/** Browsers send at most a few hundred at once; a line of 2 MB could have a million. */
const maxReports = 10_000

/** Accepts a POST, or the bare body of one. @param now milliseconds since the epoch. */
export function readPost(line: unknown, now = Date.now()): Post | LineError {
  const { wrapper, body } = unwrapBody(line)
  if (isLineError(body)) return body
  const fields = readWrapperFields(wrapper)
  const timeMember = timeMembers.find((name) => fields[name] !== undefined) ?? 'receivedAt'
  const receivedAt = readReceivedAt(fields[timeMember])
  if (receivedAt === undefined && fields[timeMember] !== undefined) {
    return reject(`${timeMember} is neither an RFC 3339 time nor an epoch time from 1970 to 2099`)
  }
  if (receivedAt !== undefined && receivedAt > now + maxClockSkewMs) {
    return reject(`${timeMember} must be at most one day in the future`)
  }
  const sampleRate = fields.sampleRate === undefined ? 1 : toNumber(fields.sampleRate)
  if (sampleRate === undefined || sampleRate <= 0 || sampleRate > 1) {
    return reject('sampleRate is not a number above 0 and up to 1')
  }
  const siteId = fields.site ?? ''
  if (typeof siteId !== 'string' || (siteId !== '' && !siteIdPattern.test(siteId))) return reject('site is not a UUID')
  const elements = elementsOf(body)
  if (isLineError(elements)) return elements
  return {
    receivedAt,
    userAgent: firstText(fields, ['userAgent', 'User-Agent']),
    siteId: siteId.toLowerCase(),
    sampleRate,
    elements,
    wrapper,
  }
}

/** Elements of a body. The form of the body decides, never a content type. */
export function elementsOf(body: unknown): readonly unknown[] | LineError {
  if (Array.isArray(body)) {
    return body.length <= maxReports
      ? body
      : reject(`the body has ${body.length} reports; the maximum is ${maxReports}`)
  }
  if (isObject(body) && (body['csp-report'] !== undefined || (body.type !== undefined && body.body !== undefined))) {
    return [body]
  }
  return reject('the body is not an array of reports, a csp-report or a report')
}

/** Accepts an envelope, or a legacy CSP report with or without a type. */
export function readElement(value: unknown): ReportElement | LineError {
  if (!isObject(value)) return reject('a report is not an object')
  const legacy = value['csp-report'] !== undefined
  const type = legacy ? 'csp-violation' : value.type
  const body = legacy ? value['csp-report'] : value.body
  if (typeof type !== 'string' || type === '') return reject('a report has no type')
  if (!isObject(body)) return reject('a report has no body')
  const rest = new Map<string, unknown>()
  const envelope = readEnvelopeFields(value, rest)
  return {
    type,
    body: readBodyFields(type, body, rest),
    url: firstText(envelope, ['url']),
    age: Math.max(0, toNumber(envelope.age) ?? 0),
    userAgent: firstText(envelope, ['userAgent']),
    rest,
  }
}
