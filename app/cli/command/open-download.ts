import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from './context.ts'
import { type ApiOptions, readTenant, request, requireKey, throwProblem, toApiResponse } from './request-api.ts'

/** Waits for a budget in a row, after which a request fails. */
const mostWaits = 5

/** Opens a response whose body is read while it arrives, once the budget allows it. Throws an Error of one line. */
export async function openDownload(
  api: string,
  key: string,
  path: string,
  query: Readonly<Record<string, string>>,
): Promise<Response> {
  for (let waits = 0; ; waits++) {
    const response = await request(`${api}${path}?${new URLSearchParams(query)}`, key, async (response) => response)
    if (response.status === 200) return response
    const failed = await toApiResponse(response)
    if (failed.status !== 429 || waits === mostWaits) throwProblem(failed, api, query)
    await sleep(failed.retryAfter * 1_000)
  }
}

/** Runs a task with the API at the URL, or with an API that it serves for the tenant. */
export async function withApi<Result>(
  context: Context,
  { tenant: tenantId, api }: ApiOptions,
  task: (url: string, key: string) => Promise<Result>,
): Promise<Result> {
  if (api !== undefined) return task(api, requireKey(context))
  const { database, tenant } = await readTenant(context, tenantId ?? '')
  // Loaded on demand, because it is the whole API.
  const { serveTenant } = await import('../../api/serve-tenant.ts')
  const served = await serveTenant(database, tenant)
  return task(served.url, served.key).finally(served.close)
}
