import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BudgetCharge, type BudgetStore, bucketName } from '../../../app/budgets/budget-store.ts'
import { createMemoryBudgets } from '../../../app/budgets/memory-budgets.ts'
import { createRedisBudgets, requireRedisBudgets } from '../../../app/budgets/redis-budgets.ts'
import { budgetCharges } from '../../support/budget-charges.ts'
import { blockProcess } from '../../support/freeze-process.ts'
import { numberOfCases } from '../../support/number-of-cases.ts'
import { patientTimeouts } from '../../support/patience.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'

let server: TestRedis
let admin: Redis
let budgets: BudgetStore
let others: BudgetStore
/** Their clock stands still. */
let still: BudgetStore

/** Far in the future, so that Redis does not expire the buckets by its own clock. */
const start = Date.UTC(2100, 0, 1) * 1000

beforeAll(async () => {
  server = await startRedis()
  admin = new Redis(server.url)
  budgets = await createRedisBudgets(server.url, { timeouts: patientTimeouts })
  others = await createRedisBudgets(server.url, { timeouts: patientTimeouts })
  still = await createRedisBudgets(server.url, { now: () => start, timeouts: patientTimeouts })
})

afterAll(async () => {
  await Promise.all([budgets.close(), others.close(), still.close()])
  admin.disconnect()
  await server.stop()
})

async function allowedOf(stores: readonly BudgetStore[], charges: readonly BudgetCharge[], count: number) {
  const takes = Array.from({ length: count }, (_, take) => stores[take % stores.length]?.take(charges))
  return (await Promise.all(takes)).filter((outcome) => outcome?.allowed).length
}

test('Redis budgets allow exactly the limit to 100 concurrent takes of two processes', async () => {
  // An hour's window: no token returns while the takes run.
  const hourly = budgetCharges(30, 1000).map((charge) => ({ ...charge, windowSeconds: 3600 }))
  expect(await allowedOf([budgets, others], hourly, 100)).toBe(30)
  expect((await budgets.take(hourly)).buckets).toMatchObject([{ remaining: 0 }, { remaining: 970 }])
})

test('Redis budgets take nothing from a key when the tenant’s budget is empty', async () => {
  const tenantId = randomUUID()
  const keys = [budgetCharges(30, 40, { tenantId }), budgetCharges(30, 40, { tenantId })] as const
  const hourly = keys.map((charges) => charges.map((charge) => ({ ...charge, windowSeconds: 3600 })))
  const allowed = await Promise.all(hourly.map((charges) => allowedOf([budgets, others], charges, 50)))
  expect(allowed.reduce((sum, count) => sum + count)).toBe(40)
  for (const [key, charges] of hourly.entries()) {
    const [keyBucket] = (await budgets.take(charges)).buckets
    expect(keyBucket?.remaining).toBe(30 - (allowed[key] ?? 0))
  }
})

test('Redis budgets charge the key alone when only the key is charged', async () => {
  const charges = budgetCharges(3, 3)
  await budgets.take(charges.slice(0, 1))
  expect((await budgets.take(charges)).buckets).toMatchObject([{ remaining: 1 }, { remaining: 2 }])
})

test('a rejected take of Redis budgets has the wait of each budget', async () => {
  const charges = budgetCharges(1, 60)
  await still.take(charges)
  const [key, tenant] = (await still.take(charges)).buckets
  expect(key).toEqual({
    name: 'key',
    limit: 1,
    windowSeconds: 60,
    remaining: 0,
    resetSeconds: 60,
    retryAfterSeconds: 60,
  })
  expect(tenant).toMatchObject({ name: 'tenant', limit: 60, retryAfterSeconds: 0 })
})

test('Redis budgets delete a bucket that is full again', async () => {
  // A token in five seconds.
  const charges = budgetCharges(12, 12)
  await budgets.take(charges)
  const names = charges.map(bucketName)
  expect(await admin.exists(...names)).toBe(2)
  for (const name of names) expect(await admin.pttl(name)).toBeLessThanOrEqual(5_001)
  await expect.poll(() => admin.exists(...names)).toBe(0)
})

test('every bucket of a tenant has a short name in one cluster slot', () => {
  const tenantId = '6f2b1a9e-7c1d-4a52-9d0e-3f7a1b2c4d5e'
  const keyId = '0d9c8b7a-6e5f-4d3c-8b2a-190817263544'
  expect(budgetCharges(1, 1, { tenantId, keyId }).map(bucketName)).toEqual([
    `budget:{${tenantId}}:key:${keyId}`,
    `budget:{${tenantId}}:tenant`,
  ])
})

test('a Redis bucket is empty, not broken, when its limit falls below its use', async () => {
  const ids = { tenantId: randomUUID(), keyId: randomUUID() }
  expect(await allowedOf([still], budgetCharges(50, 50, ids), 50)).toBe(50)
  expect(await still.take(budgetCharges(2, 2, ids))).toMatchObject({
    allowed: false,
    buckets: [{ resetSeconds: 60 }, {}],
  })
})

test.each([
  [
    'in Redis',
    (clock: { now: () => number }) => createRedisBudgets(server.url, { ...clock, timeouts: patientTimeouts }),
  ],
  ['in memory', async (clock: { now: () => number }) => createMemoryBudgets(clock)],
])('refills at its pace after the clock went back, %s', async (_, create) => {
  let now = start
  const store = await create({ now: () => now })
  const charges = budgetCharges(60, 60)
  await store.take(charges)
  now -= 3600 * 1_000_000
  expect(await store.take(charges)).toMatchObject({ allowed: false, buckets: [{ retryAfterSeconds: 1 }, {}] })
  now += 1_000_000
  expect((await store.take(charges)).allowed).toBe(true)
  await store.close()
})

test('Redis budgets read a reply that came while this process was busy', async () => {
  const hasty = await createRedisBudgets(server.url, { timeouts: { ...patientTimeouts, command: 2_000 } })
  const taken = hasty.take(budgetCharges(1, 1))
  blockProcess(2_500)
  expect((await taken).allowed).toBe(true)
  await hasty.close()
})

test.each([
  ['a list', (name: string) => admin.rpush(name, 'x')],
  ['a hash', (name: string) => admin.hset(name, 'x', '1')],
  ['text', (name: string) => admin.set(name, 'x')],
  ['nothing', (name: string) => admin.set(name, '')],
  ['nan', (name: string) => admin.set(name, 'nan')],
  ['-nan', (name: string) => admin.set(name, '-nan')],
  ['inf', (name: string) => admin.set(name, 'inf')],
])('a Redis bucket whose key holds %s heals by itself', async (_, spoil) => {
  // A full bucket is deleted, and these are not full again for five seconds.
  const charges = budgetCharges(12, 12)
  await Promise.all(charges.map((charge) => spoil(bucketName(charge))))
  await budgets.take(charges)
  await expect.poll(async () => (await budgets.take(charges)).allowed).toBe(true)
  expect(await admin.get(bucketName(charges[0] as BudgetCharge))).toMatch(/^\d{16}$/)
})

test('Redis budgets work on when Redis has lost the script', async () => {
  await admin.script('FLUSH')
  expect(await allowedOf([budgets, others], budgetCharges(50, 50), 20)).toBe(20)
})

test('several tokens are taken whole or not at all, and are there after the wait that is told', async () => {
  let now = 0
  const store = createMemoryBudgets({ now: () => now })
  const charges = budgetCharges(60, 600).map((charge) => ({ ...charge, tokens: 40 }))
  expect(await store.take(charges)).toMatchObject({ allowed: true, buckets: [{ remaining: 20 }, { remaining: 560 }] })
  const refused = await store.take(charges)
  expect(refused).toMatchObject({ allowed: false, retryAfterSeconds: 20, buckets: [{ remaining: 20 }, {}] })
  now += 19_000_000
  expect((await store.take(charges)).allowed).toBe(false)
  now += 1_000_000
  expect((await store.take(charges)).allowed).toBe(true)
})

test('rejects a budget that cannot be kept', async () => {
  await expect(budgets.take(budgetCharges(0, 1))).rejects.toThrow(RangeError)
})

const anyLimit = fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 13, max: 6000 }))
const anyStep = fc.record({
  wait: fc.oneof(fc.constant(0), fc.nat(2_000_000), fc.nat(90_000_000)),
  keyId: fc.constantFrom('a', 'b', 'c'),
  keyOnly: fc.boolean(),
  takes: fc.integer({ min: 1, max: 8 }),
  tokens: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 40 })),
})
const anySchedule = fc.record({
  windowSeconds: fc.constantFrom(1, 7, 60),
  keyLimits: fc.tuple(anyLimit, anyLimit),
  tenantLimits: fc.tuple(anyLimit, anyLimit),
  steps: fc.array(anyStep, { minLength: 1, maxLength: 40 }),
})

test('Redis budgets agree exactly with memory budgets, over any schedule', async () => {
  let now = start
  const clock = { now: () => now }
  const [inRedis, inMemory] = [
    await createRedisBudgets(server.url, { ...clock, timeouts: patientTimeouts }),
    createMemoryBudgets(clock),
  ]
  await fc.assert(
    fc.asyncProperty(anySchedule, async ({ windowSeconds, keyLimits, tenantLimits, steps }) => {
      const tenantId = randomUUID()
      for (const [index, { wait, keyId, keyOnly, takes, tokens }] of steps.entries()) {
        now += wait
        // Half way through, the tenant changes its plan.
        const plan = index < steps.length / 2 ? 0 : 1
        const both = budgetCharges(keyLimits[plan], tenantLimits[plan], { tenantId, keyId })
        const charges = both.slice(0, keyOnly ? 1 : 2).map((charge) => ({ ...charge, windowSeconds, tokens }))
        for (let take = 0; take < takes; take++) {
          expect(await inRedis.take(charges)).toEqual(await inMemory.take(charges))
        }
      }
    }),
    { numRuns: numberOfCases(60) },
  )
  await inRedis.close()
})

test.each<[string, (admin: Redis) => Promise<unknown>, (admin: Redis) => Promise<unknown>]>([
  ['OOM', (admin) => admin.config('SET', 'maxmemory', '1'), (admin) => admin.config('SET', 'maxmemory', '0')],
  [
    'NOPERM',
    (admin) => admin.acl('SETUSER', 'default', 'resetkeys', '~other:*'),
    (admin) => admin.acl('SETUSER', 'default', 'allkeys'),
  ],
])('a Redis that responds and refuses our keys is not ready, and names the cause: %s', async (code, refuse, allow) => {
  expect(await budgets.ready()).toBe(true)
  await refuse(admin)
  expect(await budgets.ready()).toBe(false)
  const refusal = await budgets.take(budgetCharges(1, 1)).catch((error: Error) => error.cause)
  expect(String(refusal)).toContain(`Redis rejects budgets (${code})`)
  await expect(requireRedisBudgets(server.url)).rejects.toMatchObject({ cause: refusal })
  await allow(admin)
  expect(await budgets.ready()).toBe(true)
})

test('the commands and keys of an ACL that the page names are enough', async () => {
  const page = readFileSync(new URL('../../../clickhouse/production.md', import.meta.url), 'utf8')
  const rules = /`(~budget:\* [^`]+)`/.exec(page)?.[1]?.split(' ') ?? []
  await admin.acl('SETUSER', 'app', 'on', '>pw', 'resetkeys', 'nocommands', ...rules)
  await requireRedisBudgets(server.url.replace('//', '//app:pw@'))
})
