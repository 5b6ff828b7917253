import { budgetWindowSeconds } from '../../schema/plans.ts'
import { type BudgetStore, BudgetUnavailableError } from '../budgets/budget-store.ts'
import type { RequestContext } from '../pipeline/request-context.ts'
import { CollectorError, unavailable } from './collector-error.ts'
import type { CollectorSite } from './sites.ts'

const reportsPerToken = 100

/** Tokens for a post's reports, in addition to one token per post. */
export const tokensOfReports = (reports: number): number => Math.floor(reports / reportsPerToken)

export type ChargeSite = (site: CollectorSite, request: RequestContext, tokens: number) => Promise<void>

/**
 * Takes tokens of the site's budget of posts, or gives a negative number back. Throws CollectorError(429 or 503).
 * @param name `site`, or `unstored` for posts that store nothing, which are as many.
 */
export function chargeSite(
  budgets: BudgetStore,
  postsPerMinute: number,
  name: 'site' | 'unstored' = 'site',
): ChargeSite {
  const limits = { limit: postsPerMinute, windowSeconds: budgetWindowSeconds }
  return async ({ id, tenantId }, request, tokens) => {
    const charge = { name, tenantId, ownerId: id, ...limits, tokens } as const
    const outcome = await budgets.take([charge]).catch((cause: unknown) => {
      throw cause instanceof BudgetUnavailableError ? unavailable(cause) : cause
    })
    if (outcome.allowed) return
    request.refusedBudgets = [name]
    const { retryAfterSeconds } = outcome
    const advice = tokens > postsPerMinute ? 'send fewer reports per post' : `wait ${retryAfterSeconds} s`
    const which = name === 'site' ? '' : ' that store nothing'
    const message = `The site's budget of ${postsPerMinute} posts per minute${which} is spent; ${advice}`
    throw new CollectorError(429, 'rate_limited', message, { retryAfterSeconds })
  }
}
