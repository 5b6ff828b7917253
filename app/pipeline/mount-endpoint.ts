import { zValidator } from '@hono/zod-validator'
import type { Hono, MiddlewareHandler } from 'hono'
import { z } from 'zod'
import type { Database, QueryCost } from '../../queries/clickhouse.ts'
import type { Query, Read } from '../../queries/query.ts'
import type { Span } from '../../queries/rules/coverage.ts'
import { earlierWindow, frozenWindow, windowOf } from '../../queries/rules/window.ts'
import { retentionStart } from '../../schema/plans.ts'
import { Problem } from '../../schema/problems.ts'
import type { BudgetStore } from '../budgets/budget-store.ts'
import type { Caller } from './authenticator.ts'
import { answersOf } from './cache/cached-handler.ts'
import type { KeptAnswers } from './cache/response-cache.ts'
import { spend } from './charge-budgets.ts'
import { callerLeaving } from './client-disconnect.ts'
import { answerData } from './conditional-response.ts'
import { cursorReader, fingerprint } from './cursor.ts'
import type { Endpoint } from './endpoint.ts'
import { onlyGet } from './method-not-allowed.ts'
import { pageOf } from './page.ts'
import { queryShape } from './query-schema.ts'
import { refuseUndecodable } from './reject-malformed-query.ts'
import { type ApiEnv, addCost } from './request-context.ts'
import { requireCapability, requireNeeds } from './require-plan.ts'
import type { SiteCheck } from './require-site.ts'
import { explain } from './validation-message.ts'

/** What the pipeline asks of the world. */
export interface PipelineServices {
  readonly database: Database
  readonly budgets: BudgetStore
  readonly authenticate: (authorization: string | undefined) => Promise<Caller>
  readonly ownSite: SiteCheck
  readonly keptAnswers: KeptAnswers
  readonly now: () => Date
}

type Params = Record<string, unknown> & { from?: Date; to?: Date; limit?: number; cursor?: string; siteId?: string }

/**
 * Mounts an operation behind the one pipeline: authenticate, API access, spend, validate, ownership, window, plan, page,
 * handle. Validation comes after authentication, so that nothing but a key is learned without one.
 */
export function mount(app: Hono<ApiEnv>, endpoint: Endpoint, services: PipelineServices): void {
  const shape = queryShape(endpoint)
  const own = Object.keys(endpoint.query)
  const paging = endpoint.page
  const readCursor = paging && cursorReader(paging.position.shape, paging.maxDepth)
  const answers = answersOf(endpoint, services.keptAnswers)

  const enter: MiddlewareHandler<ApiEnv> = async function enter(c, next) {
    const state = c.get('state')
    state.operation = endpoint.name
    const caller = await services.authenticate(c.req.header('Authorization'))
    state.caller = caller
    if (!endpoint.everyPlan) requireCapability(caller, 'api', 'API access')
    await spend(services.budgets, endpoint.spends, caller, (headers) => Object.assign(state.headers, headers))
    refuseUndecodable(c.req.url)
    await next()
  }

  const validate = (
    target: 'param' | 'query',
    fields: Readonly<Record<string, z.ZodType>>,
  ): MiddlewareHandler<ApiEnv> =>
    zValidator(
      target,
      z.strictObject(fields),
      (result) => {
        if (result.success) return
        throw new Problem(
          'bad_request',
          explain(result.error, result.data as Record<string, unknown>, Object.keys(fields)),
        )
      },
      // No parameter is checked by waiting, and zod compiles what does not wait.
      { validationFunction: (schema, values) => schema.safeParse(values) },
    )

  const checks = [validate('query', shape)]
  if (Object.keys(endpoint.pathParams).length > 0) checks.push(validate('param', endpoint.pathParams))

  const route = endpoint.path.replace(/\{(\w+)\}/g, ':$1')
  app.get(route, enter, ...checks, async function handle(c) {
    const state = c.get('state')
    const caller = state.caller as Caller
    const path = (c.req.valid('param' as never) ?? {}) as Params
    const params = c.req.valid('query' as never) as Params
    const query = Object.fromEntries(own.map((name) => [name, params[name]])) as Params
    const { cursor } = params
    const origin = { endpoint: endpoint.name, tenantId: caller.tenant.id, requestId: state.requestId }
    const onCost = (cost: QueryCost) => addCost(state, cost)
    const readUntil =
      (leaving?: AbortSignal) =>
      <Row>(question: Query<Row>) =>
        services.database.read(question, { origin, onCost, leaving })
    let leaving: AbortSignal | undefined
    const untilLeft = () => {
      leaving ??= callerLeaving(c)
      return leaving
    }
    const read: Read = (question) => readUntil(untilLeft())(question)

    const filter = endpoint.parse?.(query)
    for (const siteId of [path.siteId, query.siteId]) if (siteId) await services.ownSite(read, caller.tenant.id, siteId)

    const bound = paging ? fingerprint(endpoint.name, caller.tenant.id, { ...path, ...query }) : ''
    const before = cursor === undefined ? undefined : readCursor?.(cursor, bound)
    const now = services.now()
    const retention = retentionStart(caller.tenant.may.retentionDays, now)
    const window = windowFor(endpoint, before?.window, params, now, retention)
    await requireNeeds(endpoint.needs ?? [], caller, params, read)
    const earlier = window && earlierWindow(window, retention)
    const { content, kept } = await answers({
      tenantId: caller.tenant.id,
      sent: [path, params],
      windows: [window, earlier],
      ask: (read) =>
        endpoint.handle({
          caller,
          path,
          query,
          filter,
          window,
          earlier,
          page: paging && pageOf(paging, params.limit ?? paging.defaultLimit, window ?? null, bound, before),
          retentionFrom: retention.getTime(),
          read,
          readAll: async (questions) => (await Promise.all(questions.map(read))).flat(),
        }),
      readUntil,
      untilLeft,
    })
    state.kept = kept
    return answerData(c, content)
  })
  onlyGet(app, route)
}

/** The window of the request, or the one its cursor froze. */
function windowFor(
  { window: policy }: Endpoint,
  frozen: Span | null | undefined,
  asked: Pick<Params, 'from' | 'to'>,
  now: Date,
  retention: Date,
): Span | undefined {
  if (!policy) return undefined
  if (frozen === undefined) {
    if (policy === 'retention') return { from: retention.getTime(), to: now.getTime() }
    return windowOf(policy, asked, now, retention)
  }
  const window = frozen && frozenWindow(policy, frozen, retention)
  if (!window) throw new Problem('bad_request', 'cursor is out of bounds; start again without it')
  return window
}
