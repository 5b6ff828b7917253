import { STATUS_CODES } from 'node:http'
import { type ProblemCode, problemCodes, problems } from '../../schema/problems.ts'
import type { Endpoint } from '../pipeline/endpoint.ts'
import { budgetHeaderNames, headerReferences } from './headers.ts'

/** Codes whose responses have the budget headers: always, or if the request got that far. */
const budgetHeadersOf: Partial<Record<ProblemCode, 'always' | 'sometimes'>> = {
  bad_request: 'always',
  plan_upgrade_required: 'sometimes',
  not_found: 'always',
  rate_limited: 'always',
  internal_error: 'sometimes',
  upstream_unavailable: 'sometimes',
}

function codesOf({ alwaysWorks, pathParams, query }: Endpoint): ProblemCode[] {
  const owned = Object.keys(pathParams).length > 0 || 'siteId' in query
  return problemCodes.filter((code) => {
    if (code === 'plan_upgrade_required' || code === 'forbidden') return alwaysWorks !== true
    if (code === 'not_found') return owned
    return code !== 'method_not_allowed'
  })
}

const statusesOf = (codes: readonly ProblemCode[]) => [...new Set(codes.map((code) => problems[code].status))]

const nameOf = (status: number) => (STATUS_CODES[status] ?? String(status)).replaceAll(' ', '')

export function errorReferences(endpoint: Endpoint): Record<string, { $ref: string }> {
  const statuses = statusesOf(codesOf(endpoint))
  return Object.fromEntries(
    statuses.map((status) => [String(status), { $ref: `#/components/responses/${nameOf(status)}` }]),
  )
}

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
    description: codes.map((code) => `\`${code}\`: ${problems[code].description}`).join(' '),
    headers: headersOf(codes),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        examples: Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code) }])),
      },
    },
  }
}

function headersOf(codes: readonly ProblemCode[]): Record<string, object> {
  const always = codes.every((code) => budgetHeadersOf[code] === 'always')
  const sometimes = !always && codes.some((code) => code in budgetHeadersOf)
  const others = [
    ...(codes.some((code) => 'retries' in problems[code]) ? (['Retry-After'] as const) : []),
    ...(codes.includes('invalid_api_key') ? (['WWW-Authenticate'] as const) : []),
  ]
  return headerReferences([...(always ? budgetHeaderNames : []), ...others], sometimes ? budgetHeaderNames : [])
}

function exampleOf(code: ProblemCode) {
  return { error: { code, message: problems[code].description, requestId: '0b9a1c4e-6f1d-4c0b-9f57-3d2f6f0e8a11' } }
}
