import { afterAll, beforeAll, expect, test } from 'vitest'
import { dayMs } from '../../../schema/durations.ts'
import type { Plan, PlanOverrides } from '../../../schema/plans.ts'
import { oraclePci } from '../../oracles/pci-oracle.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { createPciTenants, type PciSite } from '../../support/pci-tenants.ts'
import { randomPci } from '../../support/random-pci.ts'

/** Scripts of scans before the database was made are not compared. */
const now = Date.now() - dayMs
const seed = Number(process.env.SEED ?? now % 1_000_000_007)

interface Tenant {
  readonly plan: Plan
  readonly overrides?: PlanOverrides
  readonly decides: boolean
}

/** Every plan that has the operation, with its own cells changed or not, and with decisions on record or not. */
const tenants: readonly Tenant[] = [
  { plan: 'free', overrides: { capabilities: ['api'] }, decides: true },
  { plan: 'team', decides: false },
  { plan: 'team', decides: true },
  { plan: 'professional', decides: false },
  { plan: 'professional', decides: true },
  { plan: 'business', decides: true },
  {
    plan: 'business',
    overrides: { retentionDays: 12, capabilities: ['api', 'scripts.inventory', 'pages.payment'] },
    decides: true,
  },
  { plan: 'enterprise', decides: true },
]

/** As short as the shortest plan's, so that records lie on both sides of where the window begins. */
const retentionOf = { free: 7, team: 30, professional: 60, business: 90, enterprise: 365 } as const
const siteNames = ['Shop', 'Shop', 'Blog "a" & b', 'Söhne']

let api: TestApi
let sites: PciSite[]

beforeAll(async () => {
  api = await startApi({ now: () => new Date(now) })
  // Every tenant's records look like the others': the ids of their pages, rules and deliveries are the same.
  const made = tenants.map(({ plan, overrides = {}, decides }, place) => {
    const retentionDays = overrides.retentionDays ?? retentionOf[plan]
    const paymentPages = [3, 1, 0, 2, 3].slice(place % 2, (place % 2) + 4)
    const given = { seed: seed + Math.floor(place / 2), now, retentionDays, decides, paymentPages }
    const make = (tenantId: string, siteIds: readonly string[]) => randomPci(given, tenantId, siteIds)
    return { plan, overrides, siteNames, make }
  })
  sites = (await createPciTenants(api, made)).flat()
})

afterAll(() => api?.close())

test('every site is judged as the oracle judges it, on the evidence of that site alone', async () => {
  for (const { world, key } of sites) {
    const { status, body } = await api.get(`/v1/compliance/pci-dss?siteId=${world.siteId}`, { key })
    expect(status).toBe(200)
    expect({ seed, ...body }).toEqual({ seed, data: oraclePci(world, now) })
  }
})
