/** @module Budgets in memory or in Redis, and the code that both stores share. */

import { type BucketLevel, type Budget, bucketLevel, bucketPace, secondsUntil } from './token-bucket.ts'

/** Budgets of the API's requests. */
export type ApiBudgetName = 'key' | 'tenant'

/** `site` limits posts to the collector, `unstored` posts that store nothing. */
export type BudgetName = ApiBudgetName | 'site' | 'unstored'

/** Takes tokens of each of the operation's budgets. Throws rate_limited or rate_limit_unavailable. */
export type Charge = (tokens: number) => Promise<void>

/** All charges of one request are of one tenant. */
export interface BudgetCharge extends Budget {
  readonly name: BudgetName
  readonly tenantId: string
  /** Key or site; ignored by a tenant's budget. */
  readonly ownerId: string
  /** 1 by default. */
  readonly tokens?: number
}

export interface BudgetState extends Budget, BucketLevel {
  readonly name: BudgetName
}

export interface BudgetOutcome {
  readonly allowed: boolean
  /**
   * Whole seconds until the same charges are allowed if they are not allowed now. Charges above a whole bucket never
   * are.
   */
  readonly retryAfterSeconds: number
  /** Buckets in the order of the charges. */
  readonly buckets: readonly BudgetState[]
}

export interface BudgetStore {
  /** Takes each charge's tokens from its bucket, or none. Rejects with BudgetUnavailableError within 250 ms. */
  take(charges: readonly BudgetCharge[]): Promise<BudgetOutcome>
  /** Never rejects. */
  ready(): Promise<boolean>
  close(): Promise<void>
}

export class BudgetUnavailableError extends Error {
  constructor(cause: unknown) {
    super('The budget store is unavailable', { cause })
    this.name = 'BudgetUnavailableError'
  }
}

/** Key in a store; the braces put all buckets of a tenant into one Redis Cluster slot. */
export function bucketName({ name, tenantId, ownerId }: BudgetCharge): string {
  return name === 'tenant' ? `budget:{${tenantId}}:tenant` : `budget:{${tenantId}}:${name}:${ownerId}`
}

/** @param untilFull microseconds until each bucket is full, in the order of the charges. */
export function budgetOutcome(
  allowed: boolean,
  charges: readonly BudgetCharge[],
  untilFull: readonly number[],
): BudgetOutcome {
  let retryAfterSeconds = 0
  const buckets = charges.map((charge, index) => {
    const { name, limit, windowSeconds, tokens } = charge
    const [pace, full] = [bucketPace(charge), untilFull[index] ?? 0]
    if (!allowed) retryAfterSeconds = Math.max(retryAfterSeconds, secondsUntil(pace, full, tokens))
    return { name, limit, windowSeconds, ...bucketLevel(pace, full) }
  })
  return { allowed, retryAfterSeconds, buckets }
}

/** The empty bucket that is refilled last; among equal buckets the one charged first. */
export function nearestToRunningOut(buckets: readonly BudgetState[]): BudgetState | undefined {
  return buckets.toSorted((a, b) => a.remaining - b.remaining || b.retryAfterSeconds - a.retryAfterSeconds)[0]
}
