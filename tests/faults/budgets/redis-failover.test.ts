import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { Redis } from 'ioredis'
import { afterEach, expect, test } from 'vitest'
import { type BudgetStore, BudgetUnavailableError } from '../../../app/budgets/budget-store.ts'
import { createRedisBudgets } from '../../../app/budgets/redis-budgets.ts'
import { budgetCharges } from '../../support/budget-charges.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'
import { startSwitchingProxy } from '../../support/switching-proxy.ts'

const cleanups: (() => unknown)[] = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function ownRedis(...settings: string[]): Promise<TestRedis> {
  const server = await startRedis(...settings)
  cleanups.push(server.stop)
  return server
}

/** Budgets at a Redis that serves, behind an address that can be switched to another. */
async function budgetsBehindProxy(port: number) {
  const proxy = await startSwitchingProxy(port)
  cleanups.push(proxy.close)
  const budgets = await createRedisBudgets(`redis://127.0.0.1:${proxy.port}`)
  cleanups.push(budgets.close)
  return { proxy, budgets }
}

async function adminOf(server: TestRedis): Promise<Redis> {
  const admin = new Redis(server.url, { enableReadyCheck: false })
  admin.on('error', () => undefined)
  cleanups.push(() => admin.disconnect())
  await once(admin, 'ready')
  return admin
}

const take = (budgets: BudgetStore) => budgets.take(budgetCharges(100, 100))

const isAllowed = (budgets: BudgetStore) =>
  take(budgets).then(
    ({ allowed }) => allowed,
    () => false,
  )

const often = { interval: 20 }

/** Each makes a Redis that serves respond with its error, for longer than the test. */
const demotions: [error: string, (admin: Redis) => Promise<unknown>][] = [
  ['READONLY', (admin) => admin.replicaof('127.0.0.1', 1)],
  [
    'MASTERDOWN',
    async (admin) => {
      await admin.config('SET', 'replica-serve-stale-data', 'no')
      await admin.replicaof('127.0.0.1', 1)
    },
  ],
  ['NOREPLICAS', (admin) => admin.config('SET', 'min-replicas-to-write', '1')],
  [
    'LOADING',
    async (admin) => {
      // 20 ms a key, 2 min in all; between two keys it responds.
      await admin.eval("for i = 1, 6000 do redis.call('SET', i, string.rep('x', 2048)) end", 0)
      await admin.config('SET', 'key-load-delay', '20000', 'rdbcompression', 'no')
      void admin.call('DEBUG', 'RELOAD').catch(() => undefined)
    },
  ],
]

test.each(demotions)('Redis budgets reach the address anew where Redis responds %s', async (error, demote) => {
  const settings = ['--enable-debug-command', 'local', '--loading-process-events-interval-bytes', '1024']
  const [old, heir] = [await ownRedis(...settings), await ownRedis()]
  const { proxy, budgets } = await budgetsBehindProxy(old.port)
  expect((await take(budgets)).allowed).toBe(true)
  await demote(await adminOf(old))
  const other = await adminOf(old)
  const write = "return redis.call('SET', 'key', 'value')"
  const response = () => other.eval(write, 0).catch((failure: Error) => failure.message)
  await expect.poll(response, often).toContain(error)
  await expect.poll(() => isAllowed(budgets).then(proxy.connections), often).toBeGreaterThan(1)
  proxy.switchTo(heir.port)
  await expect.poll(() => isAllowed(budgets), often).toBe(true)
  expect(await budgets.ready()).toBe(true)
})

/** A Redis that is ready and whose scripts end with the error. */
async function failingRedis(error: string): Promise<number> {
  const server = createServer((socket) => {
    socket
      .on('error', () => undefined)
      .on('data', (text) => {
        for (const [, name] of `${text}`.matchAll(/^\*\d+\r\n\$\d+\r\n(\w+)/gm)) {
          socket.write(name?.startsWith('eval') ? `-${error}\r\n` : name === 'info' ? '$-1\r\n' : '+OK\r\n')
        }
      })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanups.push(() => server.close())
  return (server.address() as AddressInfo).port
}

test.each([
  'UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)',
  'CLUSTERDOWN The cluster is down',
  "ERR Error running script (call to f_0): @user_script:42: -READONLY You can't write against a read only replica.",
])('Redis budgets reach the address anew after %s', async (error) => {
  const heir = await ownRedis()
  const { proxy, budgets } = await budgetsBehindProxy(await failingRedis(error))
  proxy.switchTo(heir.port)
  await expect(take(budgets)).rejects.toThrow(BudgetUnavailableError)
  await expect.poll(() => isAllowed(budgets), often).toBe(true)
})
