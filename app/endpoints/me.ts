import { z } from 'zod'
import { budgetWindowSeconds } from '../../schema/plans.ts'
import { me as meReply } from '../../schema/responses/me.ts'
import { endpoint } from '../pipeline/endpoint.ts'

export const me = endpoint({
  name: 'me',
  path: '/v1/me',
  summary: 'The calling key and its tenant',
  description:
    'The key’s tenant, plan, retention and request budgets. Works with every valid key, independent of its plan and origins.',
  charges: ['key'],
  alwaysWorks: true,
  scope: 'key',
  response: z.object({ data: meReply }),
  async handle({ caller: { key, siteId, tenant } }) {
    const budget = (limit: number) => ({ limit, windowSeconds: budgetWindowSeconds })
    return {
      data: {
        tenant: {
          id: tenant.id,
          name: tenant.name,
          plan: tenant.plan,
          retentionDays: tenant.entitlements.retentionDays,
        },
        key: { ...key, siteId },
        rateLimits: { key: budget(tenant.entitlements.keyLimit), tenant: budget(tenant.entitlements.tenantLimit) },
      },
    }
  },
})
