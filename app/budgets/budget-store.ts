import { type BucketLevel, type Budget, bucketLevel, bucketPace } from './token-bucket.ts'

/** The budgets a request can spend (contract, convention 8). */
export type BudgetName = 'key' | 'tenant'

/** One budget that a request spends one token of. All charges of one request are of one tenant. */
export interface BudgetCharge extends Budget {
  readonly name: BudgetName
  readonly tenantId: string
  /** The calling key's id; a tenant's budget ignores it. */
  readonly keyId: string
}

/** A charged budget and its remaining tokens. */
export interface BudgetState extends Budget, BucketLevel {
  readonly name: BudgetName
}

/** Outcome of a take: a token from every bucket, or from none. */
export interface BudgetOutcome {
  readonly allowed: boolean
  /** In the order of the charges. */
  readonly buckets: readonly BudgetState[]
}

/** Buckets in memory or in Redis. */
export interface BudgetStore {
  /**
   * Takes one token from every charged bucket, or from none when one of them has none. Rejects with
   * BudgetUnavailableError within 250 ms when the buckets cannot be reached, and with RangeError for an impossible budget.
   */
  take(charges: readonly BudgetCharge[]): Promise<BudgetOutcome>
  /** Whether the buckets can be reached now; never rejects. */
  ready(): Promise<boolean>
  close(): Promise<void>
}

/** The buckets cannot be reached, so the budget is unknown: rate_limit_unavailable. */
export class BudgetUnavailableError extends Error {
  constructor(cause: unknown) {
    super('The budget store cannot answer', { cause })
    this.name = 'BudgetUnavailableError'
  }
}

/** A bucket's name in a store; the braces keep all buckets of a tenant in one Redis Cluster slot. Ids are UUIDs. */
export function bucketName({ name, tenantId, keyId }: BudgetCharge): string {
  return name === 'tenant' ? `budget:{${tenantId}}:tenant` : `budget:{${tenantId}}:key:${keyId}`
}

/** The outcome of a take after which each charged bucket, in order, will be full in so many microseconds. */
export function budgetOutcome(
  allowed: boolean,
  charges: readonly BudgetCharge[],
  untilFull: readonly number[],
): BudgetOutcome {
  const buckets = charges.map((charge, index) => {
    const { name, limit, windowSeconds } = charge
    return { name, limit, windowSeconds, ...bucketLevel(bucketPace(charge), untilFull[index] ?? 0) }
  })
  return { allowed, buckets }
}

/** The bucket with the fewest tokens left; of equals, the one charged first. Undefined when nothing was charged. */
export function nearestToRunningOut(buckets: readonly BudgetState[]): BudgetState | undefined {
  return buckets.reduce<BudgetState | undefined>(
    (nearest, bucket) => (nearest && nearest.remaining <= bucket.remaining ? nearest : bucket),
    undefined,
  )
}

/** Whole seconds until every charged bucket has a token; 0 when all do. */
export function secondsUntilAllowed(buckets: readonly BudgetState[]): number {
  return Math.max(0, ...buckets.map((bucket) => bucket.retryAfterSeconds))
}
