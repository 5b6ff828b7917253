import type { Readable } from 'node:stream'
import type { z } from 'zod'
import type { ExportQuery, Query, Reader } from '../../queries/sql/query.ts'
import type { Capability } from '../../schema/plans.ts'
import type { TimeRange } from '../../schema/rules/time/time-range.ts'
import type { WindowPolicy, WindowRule } from '../../schema/rules/time/window.ts'
import type { ApiBudgetName, Charge } from '../budgets/budget-store.ts'
import type { Caller } from './authenticator.ts'
import type { Download } from './download.ts'
import type { Page, PagePolicy, WithNextPage } from './page.ts'
import type { Params as ParamValues, QueryParams } from './request-context.ts'
import type { TextResponse } from './text-response.ts'

type Fields = Readonly<Record<string, z.ZodType>>
type Values<F extends Fields> = { readonly [K in keyof F]: z.output<F[K]> }

/** The first half of an operation's name, and its section of the reference. */
export type Chapter =
  | 'me'
  | 'sites'
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

export type OperationName = Chapter | `${Chapter}.${string}`

/** Scope of a response. `tenant`: the same for all keys of the tenant. `key`: each key has its own. */
type Scope = 'tenant' | 'key'

export interface HandlerContext<Params, Filter, Window, Paging, S extends Scope = 'tenant'> extends Reader {
  readonly caller: S extends 'key' ? Caller : Pick<Caller, 'tenant' | 'siteId'>
  /** Parameters of path and query, without window and page. */
  readonly params: Params
  readonly filter: Filter
  /** The request has a parameter that the contract lacks, so its response can have more members than the contract's (Rule 11). */
  readonly hasAdditions: boolean
  readonly window: Window extends WindowRule ? TimeRange : undefined
  /** The window of equal length just before; undefined if retention does not reach all of it. */
  readonly earlier: TimeRange | undefined
  readonly page: Paging extends PagePolicy<infer Item, infer Position> ? Page<Item, Position> : undefined
  /** Milliseconds since the Unix epoch. */
  readonly retentionFrom: number
  readonly openExport: (query: ExportQuery) => Promise<Readable>
  /** Charges more than the one token per request. */
  readonly charge: Charge
}

export interface Exemption {
  /** Follows "unless". */
  readonly description: string
  /** Returns a row if the tenant is exempt. */
  readonly query: (tenantId: string) => Query<unknown>
}

export interface Requirement {
  readonly capability: Capability
  /** Limits the requirement to requests with this parameter, or with this value of it. */
  readonly when?: { readonly parameter: string; readonly is?: string }
  readonly unless?: Exemption
}

export interface EndpointDefinition<
  PathFields extends Fields,
  QueryFields extends Fields,
  Filter,
  Window extends WindowRule | undefined,
  Paging extends PagePolicy | undefined,
  Body extends z.ZodType,
  S extends Scope,
> {
  /** Name in logs, metrics and log_comment, and the source of the operationId. */
  readonly name: OperationName
  /** Parameters in braces. */
  readonly path: `/v1/${string}`
  readonly summary: string
  readonly description: string
  readonly pathParams?: PathFields
  /**
   * Parameters without window and page; `addition()` marks parameters that the contract lacks. A siteId must belong to the
   * tenant.
   */
  readonly query?: QueryFields
  /** Throws bad_request. */
  readonly parse?: (query: Values<QueryFields>) => Filter
  readonly window?: Window
  /** Window of a request with certain parameters, instead of `window`. Throws bad_request. */
  readonly windowFor?: (query: QueryParams) => WindowPolicy | undefined
  readonly page?: Paging
  /** One token of each per request; of the key's and the tenant's budget by default. */
  readonly charges?: readonly ApiBudgetName[]
  /** Capabilities in addition to API access. */
  readonly requires?: readonly Requirement[]
  /** Works with every valid key, independent of plan and origins. */
  readonly alwaysWorks?: true
  /** `tenant` by default: its keys share a response in flight. */
  readonly scope?: S
  /** For a response that depends only on the tenant's reports, which only imports change. */
  readonly cache?: 'until-import'
  readonly response: Body
  /** Value that a weak ETag is computed from; without it the ETag is strong and computed from the bytes. */
  readonly weakEtagOf?: (body: z.input<Body>) => unknown
  /** Media types of an operation whose handler returns a Download. */
  readonly mediaTypes?: readonly string[]
  /** In addition to JSON, for a handler that can return a TextResponse. */
  readonly textTypes?: readonly string[]
  readonly handle: (
    ctx: HandlerContext<Values<PathFields> & Values<QueryFields>, Filter, Window, Paging, S>,
  ) => Promise<(z.input<Body> & (Paging extends PagePolicy ? WithNextPage : unknown)) | TextResponse>
}

/** Context of an operation whose own types are erased. */
export type AnyContext = HandlerContext<ParamValues, unknown, WindowRule | undefined, PagePolicy | undefined, 'key'>

interface Operation
  extends Omit<
    EndpointDefinition<Fields, Fields, unknown, WindowRule | undefined, PagePolicy | undefined, z.ZodType, Scope>,
    'handle' | 'mediaTypes' | 'weakEtagOf'
  > {
  readonly weakEtagOf?: (body: object) => unknown
  readonly pathParams: Fields
  readonly query: Fields
  readonly charges: readonly ApiBudgetName[]
}

export interface JsonEndpoint extends Operation {
  readonly mediaTypes?: undefined
  readonly handle: (ctx: AnyContext) => Promise<Partial<WithNextPage> | TextResponse>
}

export interface DownloadEndpoint extends Operation {
  readonly mediaTypes: readonly string[]
  readonly handle: (ctx: AnyContext) => Promise<Download>
}

export type Endpoint = JsonEndpoint | DownloadEndpoint

export function endpoint<
  const PathFields extends Fields = Readonly<Record<never, never>>,
  const QueryFields extends Fields = Readonly<Record<never, never>>,
  Filter = undefined,
  const Window extends WindowRule | undefined = undefined,
  const Paging extends PagePolicy | undefined = undefined,
  Body extends z.ZodType = z.ZodType,
  const S extends Scope = 'tenant',
>(definition: EndpointDefinition<PathFields, QueryFields, Filter, Window, Paging, Body, S>): Endpoint {
  // Each handler gets only values validated by its own definition, which the erased type cannot express.
  return { pathParams: {}, query: {}, charges: ['key', 'tenant'], ...definition } as unknown as Endpoint
}
