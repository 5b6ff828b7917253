import type { z } from 'zod'
import type { TimeRange } from '../../queries/rollups/time-range.ts'
import type { WindowRule } from '../../queries/rules/window.ts'
import type { Query, Read, ReadAll } from '../../queries/sql/query.ts'
import type { Capability } from '../../schema/plans.ts'
import type { BudgetName } from '../budgets/budget-store.ts'
import type { Caller } from './authenticator.ts'
import type { Page, PagePolicy } from './page.ts'

type Fields = Readonly<Record<string, z.ZodType>>
type Values<F extends Fields> = { readonly [K in keyof F]: z.output<F[K]> }

/** The first half of an operation's name, and its section of the reference. */
export type Chapter =
  | 'me'
  | 'reports'
  | 'issues'
  | 'crashes'
  | 'browser-changes'
  | 'network-errors'
  | 'csp-policies'
  | 'scripts'
  | 'pages'
  | 'scans'
  | 'alert-deliveries'
  | 'compliance'

/** A chapter alone, or with a question: `me`, `reports.count`. */
export type OperationName = Chapter | `${Chapter}.${string}`

/** Whose data a response holds: every key of the tenant gets the same, or each key its own. */
type Scope = 'tenant' | 'key'

/** A handler's input: everything validated, owned and within budget. */
export interface HandlerContext<Params, Filter, Window, Paging, S extends Scope = 'tenant'> {
  readonly caller: S extends 'key' ? Caller : Pick<Caller, 'tenant'>
  /** The operation's own parameters, of path and query. */
  readonly params: Params
  /** The result of `parse`. */
  readonly filter: Filter
  readonly window: Window extends WindowRule ? TimeRange : undefined
  /** The span of equal length just before the window; undefined where retention does not reach all of it. */
  readonly earlier: TimeRange | undefined
  readonly page: Paging extends PagePolicy<infer Item, infer Position> ? Page<Item, Position> : undefined
  /** The first moment the tenant's retention reaches, in milliseconds since the Unix epoch. */
  readonly retentionFrom: number
  /** Every row of a query. */
  readonly read: Read
  /** Runs queries concurrently and concatenates their rows. */
  readonly readAll: ReadAll
}

/** Lets a tenant read on although its plan no longer has a capability. */
export interface Exemption {
  /** To be read behind "unless". */
  readonly description: string
  /** Has a row where the tenant is exempt. */
  readonly query: (tenantId: string) => Query<unknown>
}

/** A capability that an operation requires of the plan. */
export interface Requirement {
  readonly capability: Capability
  /** Only of requests with this parameter, or with this value of it. */
  readonly when?: { readonly parameter: string; readonly is?: string }
  readonly unless?: Exemption
}

/** One operation of the contract, declared. The pipeline does the rest. */
export interface EndpointDefinition<
  PathFields extends Fields,
  QueryFields extends Fields,
  Filter,
  Window extends WindowRule | undefined,
  Paging extends PagePolicy | undefined,
  Body extends z.ZodType,
  S extends Scope,
> {
  /** `chapter.question`, of a chapter of the reference: the name in logs, metrics and log_comment, and the operationId. */
  readonly name: OperationName
  /** As in the contract, parameters in braces. */
  readonly path: `/v1/${string}`
  readonly summary: string
  readonly description: string
  /** Path parameters; each named siteId must be the tenant's. */
  readonly pathParams?: PathFields
  /** Query parameters, beside those of the window and the page. A siteId must be the tenant's. */
  readonly query?: QueryFields
  /** Turns validated query parameters into a filter. Throws bad_request. */
  readonly parse?: (query: Values<QueryFields>) => Filter
  readonly window?: Window
  readonly page?: Paging
  /** The budgets that each request charges one token (contract, convention 8). */
  readonly charges: readonly BudgetName[]
  /** The plan's capabilities beside API access (contract, Authentication 4). */
  readonly requires?: readonly Requirement[]
  /** Open to plans without API access too. */
  readonly allPlans?: true
  /** `tenant` by default: the tenant's keys share a response while it is in flight. */
  readonly scope?: S
  /** The response depends on the tenant's reports alone, which only imports change. */
  readonly cache?: 'until-import'
  /** The 200 body. */
  readonly response: Body
  readonly handle: (
    ctx: HandlerContext<Values<PathFields> & Values<QueryFields>, Filter, Window, Paging, S>,
  ) => Promise<z.input<Body>>
}

/** Any operation, as the pipeline and the reference see it. */
export interface Endpoint
  extends EndpointDefinition<
    Fields,
    Fields,
    unknown,
    WindowRule | undefined,
    PagePolicy | undefined,
    z.ZodType,
    Scope
  > {
  readonly pathParams: Fields
  readonly query: Fields
}

/** Declares an operation. */
export function endpoint<
  const PathFields extends Fields = Readonly<Record<never, never>>,
  const QueryFields extends Fields = Readonly<Record<never, never>>,
  Filter = undefined,
  const Window extends WindowRule | undefined = undefined,
  const Paging extends PagePolicy | undefined = undefined,
  Body extends z.ZodType = z.ZodType,
  const S extends Scope = 'tenant',
>(definition: EndpointDefinition<PathFields, QueryFields, Filter, Window, Paging, Body, S>): Endpoint {
  // The pipeline passes each handler only values that its own definition validated, which the erased type cannot show.
  return { pathParams: {}, query: {}, ...definition } as unknown as Endpoint
}
