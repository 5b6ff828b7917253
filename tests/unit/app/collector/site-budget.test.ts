import { expect, test } from 'vitest'
import { createMemoryBudgets } from '../../../../app/budgets/memory-budgets.ts'
import { chargeSite, tokensOfReports } from '../../../../app/collector/site-budget.ts'
import { createRequestContext } from '../../../../app/pipeline/request-context.ts'

const site = (id: string) => ({
  id,
  tenantId: 't',
  retentionDays: 1,
  sampleRates: {},
  reportsPerMinute: 1,
  maskUrl: undefined,
  hasHost: () => true,
})

test('a post of 10,000 reports costs 100 tokens beside its own', () => {
  expect([0, 99, 100, 199, 10_000].map(tokensOfReports)).toEqual([0, 0, 1, 1, 100])
})

test('tokens of a site’s budget are taken from it alone; more than it ever has are refused with another advice', async () => {
  const charge = chargeSite(createMemoryBudgets({ now: () => 0 }), 10)
  const take = (id: string, tokens: number) => charge(site(id), createRequestContext(undefined), tokens)
  await take('a', 1)
  await take('a', 9)
  await expect(take('a', 1)).rejects.toMatchObject({
    status: 429,
    retryAfterSeconds: 6,
    message: expect.stringMatching(/wait 6 s$/),
  })
  await take('b', 1)
  await expect(take('b', 100)).rejects.toMatchObject({
    status: 429,
    message: expect.stringMatching(/send fewer reports per post$/),
  })
})
