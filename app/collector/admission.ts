import type { Context } from 'hono'
import type { Database } from '../../queries/clickhouse/database.ts'
import { Problem } from '../../schema/problems.ts'
import type { BudgetStore } from '../budgets/budget-store.ts'
import type { ApiEnv, RequestContext } from '../pipeline/request-context.ts'
import { CollectorError, unavailable } from './collector-error.ts'
import { createRetiredTokens } from './retired-tokens.ts'
import { chargeSite } from './site-budget.ts'
import type { CollectorSite, Sites } from './sites.ts'

export interface AdmissionServices {
  readonly database: Pick<Database, 'read'>
  readonly budgets: BudgetStore
  readonly sites: Pick<Sites, 'find'>
  /** Limit of one site. */
  readonly postsPerMinute: number
}

/** Lookup of the site of a post, and its budget. */
export function createAdmission({ database, budgets, sites, postsPerMinute }: AdmissionServices) {
  const isRetired = createRetiredTokens((query) => database.read(query))
  const charge = chargeSite(budgets, postsPerMinute)
  const chargeOther = chargeSite(budgets, postsPerMinute, 'unstored')

  async function requireSite(token: string): Promise<CollectorSite> {
    const isUnavailable = (cause: unknown) => {
      throw cause instanceof Problem ? unavailable(cause) : cause
    }
    const site = await sites.find(token).catch(isUnavailable)
    if (site) return site
    if (!(await isRetired(token).catch(isUnavailable))) {
      throw new CollectorError(404, 'not_found', 'No site has this token; "sites list" prints the tokens of a tenant')
    }
    // Browsers remove an endpoint that is 410 (Reporting API, 3.5.2), and send to a 404 again.
    throw new CollectorError(410, 'gone', 'The site has a new token or was deleted')
  }

  /** The site of a post, charged with a token. */
  async function admit(c: Context<ApiEnv>): Promise<CollectorSite> {
    const site = await requireSite(c.req.param('token') ?? '')
    c.get('request').site = site
    await charge(site, c.get('request'), 1)
    return site
  }

  /** Takes the tokens of a post that stores nothing from a budget of such posts, and gives them back to the other. */
  async function chargeUnstored(site: CollectorSite, request: RequestContext, tokens: number): Promise<void> {
    await charge(site, request, -tokens)
    await chargeOther(site, request, tokens)
  }

  return { requireSite, admit, charge, chargeUnstored }
}
