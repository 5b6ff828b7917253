import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { scriptDecisions } from '../../app/import/records/types/script-decisions.ts'
import { capabilities, type PlanOverrides } from '../../schema/plans.ts'
import { type ContractApi, emptyStatus, operations, startContractApi } from '../support/contract.ts'

let api: ContractApi

beforeAll(async () => {
  api = await startContractApi()
})
afterAll(() => api.close())

/** A tenant with these capabilities, one site and no decision, of which each list of capabilities has one. */
const tenants = new Map<string, ReturnType<typeof createHaving>>()

function having(held: NonNullable<PlanOverrides['capabilities']>) {
  const tenant = tenants.get(held.join()) ?? createHaving(held)
  tenants.set(held.join(), tenant)
  return tenant
}

async function createHaving(held: NonNullable<PlanOverrides['capabilities']>) {
  const tenantId = await api.createTenant({ overrides: { capabilities: held } })
  const siteId = await api.createSite(tenantId)
  return { tenantId, siteId, key: await api.createKey(tenantId) }
}

const decision = (siteId: string) => ({
  ...scriptDecisions.example,
  id: crypto.randomUUID(),
  siteId,
})

const needs = operations.all.flatMap(([name, endpoint]) =>
  (endpoint.requires ?? []).map((need) => [name, need.when?.parameter ?? 'every request', endpoint, need] as const),
)

describe.each(needs)('%s, %s', (_, __, endpoint, { capability, when, unless }) => {
  const lacking = capabilities.filter((one) => one !== capability)
  const asks = when ? { [when.parameter]: when.is ?? String(values(endpoint.query[when.parameter])[0]) } : {}

  test('requires an upgrade and names the lowest plan with the capability', async () => {
    const { status, body } = await api.request(endpoint, { ...(await having(lacking)), query: asks })
    expect(status).toBe(403)
    expect(body.error.code).toBe('plan_upgrade_required')
    expect(body.error.message).toContain(capability)
    expect(body.error.message).toMatch(/the (team|professional|business) plan and above do/)
  })

  test('responds to a tenant that has it', async () => {
    const response = await api.request(endpoint, { ...(await having([...capabilities])), query: asks })
    expect(response.status).toBe(emptyStatus(endpoint))
  })

  test('responds to a tenant with a decision on record only where that exempts it', async () => {
    const { tenantId, siteId, key } = await createHaving(lacking)
    const otherSite = await api.createSite(tenantId)
    await api.importRecords(tenantId, scriptDecisions, [decision(otherSite)])
    const { status } = await api.request(endpoint, { siteId, key, query: asks })
    expect(status).toBe(unless ? emptyStatus(endpoint) : 403)
  })

  test('is rejected although another tenant has decisions', async () => {
    const other = await createHaving([...capabilities])
    await api.importRecords(other.tenantId, scriptDecisions, [decision(other.siteId)])
    expect(await api.request(endpoint, { ...(await having(lacking)), query: asks })).toMatchObject({ status: 403 })
  })

  test('is rejected after parameters and ownership are checked', async () => {
    const asking = await having(lacking)
    expect(await api.request(endpoint, { ...asking, query: { ...asks, nonsense: '1' } })).toMatchObject({ status: 400 })
    const { siteId } = await having([...capabilities])
    expect(await api.request(endpoint, { ...asking, siteId, query: asks })).toMatchObject({ status: 404 })
  })

  test('is part of the description', async () => {
    const { body } = await api.get('/openapi.json')
    const { description } = body.paths[endpoint.path].get
    expect(description).toContain(`(\`${capability}\`)`)
    if (when) expect(description).toContain(when.parameter)
    if (unless) expect(description).toContain(`unless ${unless.description}`)
  })
})

const ofParameters = needs.flatMap(([name, parameter, endpoint, { capability, when }]) =>
  when ? [[name, parameter, endpoint, capability, when] as const] : [],
)

test.each(ofParameters)(
  '%s, %s: responds without it, and with another value where one value requires the plan',
  async (...one) => {
    const [, , endpoint, capability, { parameter, is }] = one
    const asking = await having(capabilities.filter((other) => other !== capability))
    const others = is === undefined ? [] : values(endpoint.query[parameter]).filter((value) => value !== is)
    for (const query of [{}, ...others.map((value) => ({ [parameter]: value }))]) {
      expect(await api.request(endpoint, { ...asking, query })).toMatchObject({ status: emptyStatus(endpoint) })
    }
  },
)

/** The values that a parameter takes. */
function values(parameter: (typeof operations.all)[number][1]['query'][string] | undefined): string[] {
  const refusal = parameter?.safeParse('\u0000').error?.issues[0]?.message ?? ''
  return refusal.replace('must be one of ', '').split(', ')
}
