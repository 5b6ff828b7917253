import { STATUS_CODES } from 'node:http'
import { type ProblemCode, problemCodes, problems } from '../../schema/problems.ts'
import type { Endpoint } from '../endpoint.ts'
import { budgetHeaderNames, type HeaderName, headerReferences } from './headers.ts'

/** Codes of requests that were charged before they were refused (decisions, Budgets). */
const charged: readonly ProblemCode[] = ['bad_request', 'not_found', 'rate_limited']

/** What an operation can answer beside 200, as its pipeline makes it. */
function codesOf({ everyPlan, pathParams, query }: Endpoint): ProblemCode[] {
  const owned = Object.keys(pathParams).length > 0 || 'siteId' in query
  return problemCodes.filter((code) => {
    if (code === 'plan_upgrade_required') return everyPlan !== true
    if (code === 'not_found') return owned
    return code !== 'method_not_allowed'
  })
}

const statusesOf = (codes: readonly ProblemCode[]) => [...new Set(codes.map((code) => problems[code].status))]

/** `BadRequest` for 400. */
const nameOf = (status: number) => (STATUS_CODES[status] ?? String(status)).replaceAll(' ', '')

/** An operation's answers other than 200, by status, as references into `errorResponses`. */
export function errorReferences(endpoint: Endpoint): Record<string, { $ref: string }> {
  const statuses = statusesOf(codesOf(endpoint))
  return Object.fromEntries(
    statuses.map((status) => [String(status), { $ref: `#/components/responses/${nameOf(status)}` }]),
  )
}

/** The answers other than 200 that some operation can give, as components/responses lists them. */
export function errorResponses(endpoints: readonly Endpoint[]): Record<string, object> {
  const codes = [...new Set(endpoints.flatMap(codesOf))]
  return Object.fromEntries(
    statusesOf(codes).map((status) => [
      nameOf(status),
      errorResponse(codes.filter((code) => problems[code].status === status)),
    ]),
  )
}

function errorResponse(codes: readonly ProblemCode[]): object {
  return {
    description: codes.map((code) => `\`${code}\`: ${problems[code].says}`).join(' '),
    headers: headerReferences([...new Set(codes.flatMap(headersOf))]),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        examples: Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code) }])),
      },
    },
  }
}

function headersOf(code: ProblemCode): HeaderName[] {
  return [
    ...(charged.includes(code) ? budgetHeaderNames : []),
    ...('retries' in problems[code] ? (['Retry-After'] as const) : []),
    ...(code === 'invalid_api_key' ? (['WWW-Authenticate'] as const) : []),
  ]
}

function exampleOf(code: ProblemCode) {
  return { error: { code, message: problems[code].says, requestId: '0b9a1c4e-6f1d-4c0b-9f57-3d2f6f0e8a11' } }
}
