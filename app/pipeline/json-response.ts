import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { Problem, problems } from '../../schema/problems.ts'
import { type ApiEnv, startRequest } from './request-context.ts'

/** Headers of every JSON answer; `nosniff` keeps a page from running it. */
export const jsonHeaders = {
  'Content-Type': 'application/json',
  'X-Content-Type-Options': 'nosniff',
} as const

const unkeptHeaders = { ...jsonHeaders, 'Cache-Control': 'private, no-store' } as const

/** Answers with all headers at once: passed through the framework, or added later, they cost far more. */
export function respond(
  body: string | Buffer<ArrayBuffer> | null,
  status: number,
  headers: Readonly<Record<string, string>>,
): Response {
  return new Response(body, { status, headers })
}

/** Answers JSON that nobody keeps, with the request's headers. */
export function answer(c: Context<ApiEnv>, status: ContentfulStatusCode, body: unknown): Response {
  return respond(JSON.stringify(body), status, { ...unkeptHeaders, ...c.get('state').headers })
}

/** Answers a problem. Anything but a Problem is told as internal_error only. */
export function answerProblem(c: Context<ApiEnv>, error: unknown): Response {
  const problem = error instanceof Problem ? error : new Problem('internal_error')
  const state = c.get('state')
  if (problem.retryAfterSeconds !== undefined) state.headers['Retry-After'] = String(problem.retryAfterSeconds)
  if (problem.code === 'invalid_api_key') state.headers['WWW-Authenticate'] = 'Bearer'
  if (problem.code === 'method_not_allowed') state.headers.Allow = 'GET, HEAD'
  return answer(c, problems[problem.code].status, bodyOf(problem, state.requestId))
}

/** Answers outside the app: a request that it cannot be given, or whose failure it did not answer. */
export function outsideProblem(problem: Problem): { readonly requestId: string; readonly response: Response } {
  const { requestId, headers } = startRequest(undefined)
  const { status } = problems[problem.code]
  const response = respond(JSON.stringify(bodyOf(problem, requestId)), status, { ...unkeptHeaders, ...headers })
  return { requestId, response }
}

/** The one error body (contract, Errors). */
const bodyOf = ({ code, message }: Problem, requestId: string) => ({ error: { code, message, requestId } })
