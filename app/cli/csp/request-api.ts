/** @module Requests of commands to the API: over HTTP, or in this process on the database. */

import { requireShard, shardOfTenant } from '../../../clickhouse/cluster/tenant-shards.ts'
import type { Context } from '../command/context.ts'
import { requireTenant } from '../command/require-tenant.ts'

export interface ApiOptions {
  /** Null for the API at a URL. */
  readonly tenant: string | null
  readonly api?: string | undefined
  readonly last?: string | undefined
}

/** Longest wait for a response; the API's own is 10 s. */
const timeoutMs = 60_000

/** Body of the 200. Throws an Error of one line for any other response. */
export async function requestApi(
  context: Context,
  { tenant, api, last }: ApiOptions,
  path: string,
  query: Readonly<Record<string, string | undefined>>,
): Promise<object> {
  if (api !== undefined && tenant !== null) throw new Error('Give --tenant or --api, not both')
  const target = `${path}?${new URLSearchParams(withoutUndefined({ ...query, last }))}`
  const { status, body } =
    api === undefined ? await inProcess(context, tenant ?? '', target) : await overHttp(context, api + target)
  const response = parseBody(body)
  if (status === 200 && response) return response
  const { error } = (response ?? {}) as { readonly error?: { readonly message?: string } }
  throw new Error(`The API responded with ${status}: ${error?.message ?? body.slice(0, 200)}`)
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

interface ApiResponse {
  readonly status: number
  readonly body: string
}

async function overHttp({ config }: Context, url: string): Promise<ApiResponse> {
  const { API_KEY } = config()
  if (API_KEY === undefined) throw new Error('--api needs an API key in API_KEY')
  const headers = { Authorization: `Bearer ${API_KEY}` }
  const response = await fetch(url, { headers, redirect: 'error', signal: AbortSignal.timeout(timeoutMs) }).catch(
    (error: Error) => {
      throw new Error(`${new URL(url).origin} does not respond: ${String(error.cause ?? error.message)}`)
    },
  )
  return { status: response.status, body: await response.text() }
}

async function inProcess(context: Context, tenantId: string, target: string): Promise<ApiResponse> {
  const { reader, cluster } = await context.database()
  const tenant = await requireTenant(reader, tenantId)
  const shard = cluster && requireShard(cluster, await shardOfTenant(cluster, tenantId))
  // Loaded when it is needed: the whole API.
  const { explainRequest } = await import('../../api/explain-request.ts')
  return explainRequest(shard?.front ?? reader, tenant, target)
}
