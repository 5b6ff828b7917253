import type { z } from 'zod'
import type { Query, Read, ReadAll } from '../../queries/query.ts'
import type { Span } from '../../queries/rules/coverage.ts'
import type { WindowRule } from '../../queries/rules/window.ts'
import type { Capability } from '../../schema/plans.ts'
import type { BudgetName } from '../budgets/budget-store.ts'
import type { OperationName } from '../openapi/tags.ts'
import type { Caller } from './authenticator.ts'
import type { Page, PagePolicy } from './page.ts'

type Shape = Readonly<Record<string, z.ZodType>>
type Values<S extends Shape> = { readonly [K in keyof S]: z.output<S[K]> }

/** What a handler is given: everything validated, owned and within budget. */
export interface Asked<Path extends Shape, Params extends Shape, Filter, Window, Paging, OfKey = undefined> {
  readonly caller: OfKey extends true ? Caller : Pick<Caller, 'tenant'>
  readonly path: Values<Path>
  readonly query: Values<Params>
  /** What `parse` made of the query. */
  readonly filter: Filter
  readonly window: Window extends WindowRule ? Span : undefined
  /** The span of equal length just before the window; undefined where retention does not reach all of it. */
  readonly earlier: Span | undefined
  readonly page: Paging extends PagePolicy<infer Item, infer Position> ? Page<Item, Position> : undefined
  /** The first moment the tenant's retention reaches, in milliseconds since the Unix epoch. */
  readonly retentionFrom: number
  /** Every row of a query's answer. */
  readonly read: Read
  /** Rows of queries that are run side by side. */
  readonly readAll: ReadAll
}

/** What lets a tenant read on although its plan no longer has what an operation needs. */
export interface Exemption {
  /** To be read behind "unless". */
  readonly says: string
  /** Has a row where the tenant is exempt. */
  readonly question: (tenantId: string) => Query<unknown>
}

/** A capability that an operation needs of the plan. */
export interface Need {
  readonly capability: Capability
  /** Only of requests with this parameter, or with this value of it. */
  readonly when?: { readonly parameter: string; readonly is?: string }
  readonly unless?: Exemption
}

/** One operation of the contract, declared. The pipeline does the rest. */
export interface EndpointDefinition<
  Path extends Shape,
  Params extends Shape,
  Filter,
  Window extends WindowRule | undefined,
  Paging extends PagePolicy | undefined,
  Reply extends z.ZodType,
  OfKey extends true | undefined,
> {
  /** `chapter.question`, of a chapter of the reference; stands in logs, metrics, log_comment and as the operationId. */
  readonly name: OperationName
  /** As in the contract, parameters in braces. */
  readonly path: `/v1/${string}`
  readonly summary: string
  readonly description: string
  /** Path parameters; each named siteId must be the tenant's. */
  readonly pathParams?: Path
  /** Query parameters, beside those of the window and the page. A siteId must be the tenant's. */
  readonly query?: Params
  /** Turns validated parameters into what the question needs. Throws bad_request. */
  readonly parse?: (query: Values<Params>) => Filter
  readonly window?: Window
  readonly page?: Paging
  /** The budgets a request spends one token of (contract, convention 8). */
  readonly spends: readonly BudgetName[]
  /** What the plan must have beside API access (contract, Authentication 4). */
  readonly needs?: readonly Need[]
  /** Answers on plans without API access too. */
  readonly everyPlan?: true
  /** Answers each key alone; any other answer is the tenant's, and shared by its keys that ask for it at one time. */
  readonly ofKey?: OfKey
  /** Answers from the tenant's reports alone, which only imports change: what was answered stands until the next. */
  readonly ofReports?: true
  /** The 200 body. */
  readonly reply: Reply
  readonly handle: (asked: Asked<Path, Params, Filter, Window, Paging, OfKey>) => Promise<z.input<Reply>>
}

/** Any operation, as the pipeline and the reference see it. */
export interface Endpoint
  extends EndpointDefinition<
    Shape,
    Shape,
    unknown,
    WindowRule | undefined,
    PagePolicy | undefined,
    z.ZodType,
    true | undefined
  > {
  readonly pathParams: Shape
  readonly query: Shape
}

/** Declares an operation. */
export function endpoint<
  const Path extends Shape = Readonly<Record<never, never>>,
  const Params extends Shape = Readonly<Record<never, never>>,
  Filter = undefined,
  const Window extends WindowRule | undefined = undefined,
  const Paging extends PagePolicy | undefined = undefined,
  Reply extends z.ZodType = z.ZodType,
  const OfKey extends true | undefined = undefined,
>(definition: EndpointDefinition<Path, Params, Filter, Window, Paging, Reply, OfKey>): Endpoint {
  // The pipeline hands each handler only what its own definition validated, which the erased type cannot show.
  return { pathParams: {}, query: {}, ...definition } as unknown as Endpoint
}
