/** @module Requests of commands to the API: over HTTP, or in this process on the database. */

import { requireShard, shardOfTenant } from '../../../clickhouse/cluster/tenant-shards.ts'
import { type ProblemCode, problems } from '../../../schema/problems.ts'
import { explainError } from '../../program/explain-error.ts'
import type { Context } from './context.ts'
import { NotStored, requireTenant } from './require-tenant.ts'

export interface ApiOptions {
  /** Null for the API at a URL. */
  readonly tenant: string | null
  readonly api?: string | undefined
  readonly last?: string | undefined
}

/** Longest wait for a response; the API's own is 10 s. */
const timeoutMs = 60_000

type ApiQuery = Readonly<Record<string, string | undefined>>

/** Remedy to append to the message of an error; undefined if the message has one. */
function remedyOf(code: ProblemCode, api: string | undefined, query: ApiQuery, retryAfter: number): string | undefined {
  if (code === 'invalid_api_key') return 'set API_KEY to a valid key'
  if (code === 'forbidden') return 'set API_KEY to a key that is not restricted to origins'
  if (code === 'not_found') {
    const options = [api && '--api', '--site', query.policyId && '--policy-id'].filter(Boolean)
    return `correct ${options.join(' or ')}`
  }
  return problems[code]?.status === 503 ? `run the command again in ${retryAfter} s` : undefined
}

/** Body of the 200. Throws an Error of one line for any other response, NotStored for a 404. */
export async function requestApi(
  context: Context,
  options: ApiOptions,
  path: string,
  query: ApiQuery,
): Promise<object> {
  return parseBody(await requestText(context, options, path, query)) ?? notThisApi(options.api, 200)
}

/** Requests text, also of a media type other than JSON. */
export async function requestText(
  context: Context,
  { tenant, api, last }: ApiOptions,
  path: string,
  query: ApiQuery,
): Promise<string> {
  if (api !== undefined && tenant !== null) throw new Error('Use --tenant or --api, not both')
  const target = `${path}?${new URLSearchParams(withoutUndefined({ ...query, last }))}`
  const { status, body, retryAfter } =
    api === undefined ? await inProcess(context, tenant ?? '', target) : await overHttp(context, api + target)
  return status === 200 ? body : throwProblem({ status, body, retryAfter }, api, query)
}

/** Throws NotStored for a 404. */
export function throwProblem(
  { status, body, retryAfter }: ApiResponse,
  api: string | undefined,
  query: ApiQuery,
): never {
  const { error } = (parseBody(body) ?? {}) as {
    readonly error?: { readonly code: ProblemCode; readonly message?: string }
  }
  if (error?.message === undefined) return notThisApi(api, status)
  const remedy = remedyOf(error.code, api, query, retryAfter)
  throw new (error.code === 'not_found' ? NotStored : Error)(
    [`The API responded with ${status}: ${error.message.replace(/\.$/, '')}`, remedy].filter(Boolean).join('; '),
  )
}

function notThisApi(api: string | undefined, status: number): never {
  throw new Error(`${api} responded with ${status} and is not this API: correct --api`)
}

const withoutUndefined = (query: Readonly<Record<string, string | undefined>>): [string, string][] =>
  Object.entries(query).flatMap(([name, value]): [string, string][] => (value === undefined ? [] : [[name, value]]))

function parseBody(body: string): object | undefined {
  try {
    const parsed: unknown = JSON.parse(body)
    return typeof parsed === 'object' && parsed !== null ? parsed : undefined
  } catch {
    return undefined
  }
}

export interface ApiResponse {
  readonly status: number
  readonly body: string
  /** Seconds. */
  readonly retryAfter: number
}

const overHttp = (context: Context, url: string) =>
  request(url, requireKey(context), toApiResponse, AbortSignal.timeout(timeoutMs))

/** Key of `--api`. */
export function requireKey({ config }: Context): string {
  const { API_KEY } = config()
  if (API_KEY === undefined) throw new Error('--api requires an API key in API_KEY')
  return API_KEY
}

export async function request<Result>(
  url: string,
  key: string,
  read: (response: Response) => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  const headers = { Authorization: `Bearer ${key}` }
  try {
    // A redirect would send the key on.
    return await read(await fetch(url, { headers, redirect: 'manual', ...(signal && { signal }) }))
  } catch (error) {
    throw new Error(`${new URL(url).origin} does not respond: ${whyNot(error as Error)}`)
  }
}

export async function toApiResponse(response: Response): Promise<ApiResponse> {
  const retryAfter = Number(response.headers.get('Retry-After') ?? 1)
  return { status: response.status, body: await response.text(), retryAfter }
}

function whyNot({ name, message, cause }: Error): string {
  if (name === 'TimeoutError') return `${message}; run the command again`
  const { code = '' } = (cause ?? {}) as NodeJS.ErrnoException
  return code.startsWith('ERR_SSL_') ? 'it does not use TLS: correct --api' : explainError(cause ?? message)
}

/** The tenant, and the database of its rows. Throws NotStored. */
export async function readTenant(context: Context, tenantId: string) {
  const { reader, cluster } = await context.database()
  const tenant = await requireTenant(reader, tenantId)
  const shard = cluster && requireShard(cluster, await shardOfTenant(cluster, tenantId))
  return { database: shard?.front ?? reader, tenant }
}

async function inProcess(context: Context, tenantId: string, target: string): Promise<ApiResponse> {
  const { database, tenant } = await readTenant(context, tenantId)
  // Loaded on demand, because it is the whole API.
  const { explainRequest } = await import('../../api/explain-request.ts')
  return { ...(await explainRequest(database, tenant, target)), retryAfter: 1 }
}
