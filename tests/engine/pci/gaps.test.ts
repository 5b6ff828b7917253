import { afterAll, beforeAll, expect, test } from 'vitest'
import { pciGapKinds, pciStatuses } from '../../../schema/pci.ts'
import { type Plan, planNames } from '../../../schema/plans.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { type PciScenario, pciScenarios, ready, scenarioRecords } from '../../support/pci-scenarios.ts'
import { createPciTenants, joinRecords } from '../../support/pci-tenants.ts'

const now = Date.now()

/** The lowest plans that have payment pages, scans and decisions, where this one has not. */
const requiredFor: Readonly<Record<string, object>> = {
  team: { paymentPages: 'professional', scans: 'professional', decisions: 'business' },
  professional: { paymentPages: null, scans: null, decisions: 'business' },
  business: { paymentPages: null, scans: null, decisions: null },
  enterprise: { paymentPages: null, scans: null, decisions: null },
}

interface Answer {
  readonly requirements: readonly {
    readonly id: string
    readonly status: string
    readonly gaps: readonly {
      readonly kind: string
      readonly count: number | null
      readonly eventType: string | null
    }[]
  }[]
  readonly evidence: { readonly window: object | null; readonly suggestions: readonly object[] }
  readonly plan: { readonly current: string; readonly requiredFor: object }
}

let api: TestApi
const responses = new Map<PciScenario, Answer>()

/** Makes a tenant for each plan, with a site for each scenario, and asks about each. */
async function judge(scenarios: readonly PciScenario[]) {
  const byPlan = planNames.map((plan) => scenarios.filter((given) => given.plan === plan))
  const tenants = byPlan.map((given, index) => ({
    plan: planNames[index] as Plan,
    siteNames: given.map((_, place) => `Shop ${place}`),
    make: (tenantId: string, siteIds: readonly string[]) =>
      joinRecords(given.map((one, place) => scenarioRecords(one, { tenantId, siteId: siteIds[place] ?? '', now }))),
  }))
  const sites = await createPciTenants(
    api,
    tenants.filter(({ siteNames }) => siteNames.length > 0),
  )
  const requested = sites
    .flat()
    .map(({ world, key }) => api.get(`/v1/compliance/pci-dss?siteId=${world.siteId}`, { key }))
  const response = await Promise.all(requested)
  return new Map(byPlan.flat().map((given, index) => [given, response[index]]))
}

beforeAll(async () => {
  api = await startApi({ now: () => new Date(now) })
  for (const [given, response] of await judge(pciScenarios.map(([, one]) => one))) {
    responses.set(given, response?.body.data)
  }
})

afterAll(() => api?.close())

const said = ({ status, gaps }: Answer['requirements'][number]) => [
  status,
  ...gaps.map(({ kind, count, eventType }) => [kind, count, eventType].filter((part) => part !== null).join(' ')),
]

test.each(pciScenarios)('%s is judged by both requirements', (_, given, scripts, changes) => {
  const { requirements, evidence, plan } = responses.get(given) as Answer
  expect(requirements.map(({ id }) => id)).toEqual(['6.4.3', '11.6.1'])
  expect(requirements.map(said)).toEqual([scripts, changes])
  expect(plan).toEqual({ current: given.plan, requiredFor: requiredFor[given.plan] })
  const isWithout = given.pages.length === 0
  expect([evidence.window === null, evidence.suggestions.length > 0]).toEqual([isWithout, isWithout])
})

test('the scenarios have every gap, every status of both requirements and every plan with access', () => {
  const verdicts = pciScenarios.map(([, given]) => (responses.get(given) as Answer).requirements)
  const kinds = verdicts.flat().flatMap(({ gaps }) => gaps.map(({ kind }) => kind))
  expect([...new Set(kinds)].sort()).toEqual([...pciGapKinds].sort())
  for (const index of [0, 1]) {
    const statuses = verdicts.map((requirements) => requirements[index]?.status)
    expect([...new Set(statuses)].sort()).toEqual([...pciStatuses].sort())
  }
  expect([...new Set(pciScenarios.map(([, { plan }]) => plan)), 'free'].sort()).toEqual(planNames.toSorted())
})

test('a plan without API access is rejected', async () => {
  const given: PciScenario = { ...ready, plan: 'free', pages: [] }
  const refused = (await judge([given])).get(given)
  expect(refused?.status).toBe(403)
  expect(refused?.body.error.code).toBe('plan_upgrade_required')
})

test('a tenant on the Team plan with a script decision still reads its evidence', async () => {
  const given: PciScenario = { ...ready, plan: 'team' }
  const response = (await judge([given])).get(given)
  expect(response?.body.data.requirements.map(said)).toEqual([['met'], ['not_met', 'no_recent_scan 2']])
  expect(response?.body.data.plan.requiredFor).toEqual(requiredFor.team)
})

test('a rule without a site covers every site of its tenant, and a rule of another site does not', async () => {
  const [ofAll, ...ofOne] = ready.rules ?? []
  const covered = { ...ready, rules: [{ siteId: null, eventType: ofAll }, ...ofOne] }
  const other = { ...ready, rules: [] }
  const judged = await judge([covered, other])
  const changes = [covered, other].map((given) => said(judged.get(given)?.body.data.requirements[1]))
  expect(changes).toEqual([['met'], ['partial', ...ofOne.map((event) => `no_rule ${event}`)]])
})
