import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setImmediate as nextLoop } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { pino } from 'pino'
import { afterEach, expect, test } from 'vitest'
import { type BudgetStore, BudgetUnavailableError } from '../../../app/budgets/budget-store.ts'
import { createRedisBudgets, type RedisBudgetsOptions } from '../../../app/budgets/redis-budgets.ts'
import { logOutage } from '../../../app/program/log-outage.ts'
import { budgetCharges } from '../../support/budget-charges.ts'
import { blockProcess } from '../../support/freeze-process.ts'
import { patientTimeouts } from '../../support/patience.ts'
import { startRedis } from '../../support/redis.ts'

const cleanups: (() => unknown)[] = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function ownRedis(...settings: string[]) {
  const server = await startRedis(...settings)
  cleanups.push(server.stop)
  return server
}

async function budgetsAt(url: string, options: RedisBudgetsOptions = {}): Promise<BudgetStore> {
  const budgets = await createRedisBudgets(url, options)
  cleanups.push(budgets.close)
  return budgets
}

/** A second client, which asks even a Redis that is still loading. */
async function adminOf(url: string): Promise<Redis> {
  const admin = new Redis(url, { enableReadyCheck: false })
  admin.on('error', () => undefined)
  cleanups.push(() => admin.disconnect())
  await once(admin, 'ready')
  return admin
}

const take = (budgets: BudgetStore) => budgets.take(budgetCharges(100, 100))

/** Three takes are refused as unavailable: at once, or at the deadline of a command, whatever a busy machine adds. */
async function expectUnavailableInTime(budgets: BudgetStore) {
  for (let attempt = 0; attempt < 3; attempt++) {
    const error = await take(budgets).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(BudgetUnavailableError)
    const { message } = (error as { cause: Error }).cause
    if (message.startsWith('No response')) expect(message).toBe('No response within 200 ms')
  }
}

/** Nothing but waiting brings the budgets back; each wait has the deadline of a command. */
async function expectRecovery(budgets: BudgetStore) {
  const allowed = () =>
    take(budgets).then(
      (outcome) => outcome.allowed,
      () => false,
    )
  await expect.poll(allowed, { interval: 20 }).toBe(true)
  await expect.poll(budgets.ready).toBe(true)
}

test('Redis budgets reject in time while Redis is frozen, and recover when it thaws', async () => {
  const server = await ownRedis()
  const budgets = await budgetsAt(server.url)
  await expectRecovery(budgets)
  server.freeze()
  await expectUnavailableInTime(budgets)
  expect(await budgets.ready()).toBe(false)
  server.thaw()
  await expectRecovery(budgets)
})

test('a pause of the whole machine is no outage of Redis', async () => {
  const server = await ownRedis()
  // Half of the deadline is for a busy Redis.
  const budgets = await budgetsAt(server.url, { timeouts: { ...patientTimeouts, command: 2_000 } })
  expect((await take(budgets)).allowed).toBe(true)
  for (const milliseconds of [700, 1_500, 3_000]) {
    server.freeze()
    const taken = take(budgets)
    await nextLoop()
    blockProcess(milliseconds)
    server.thaw()
    expect((await taken).allowed).toBe(true)
    expect((await take(budgets)).allowed).toBe(true)
  }
})

test('Redis budgets recover from a freeze that outlasts the connection', async () => {
  const server = await ownRedis()
  const errors: (Error | undefined)[] = []
  const budgets = await budgetsAt(server.url, { onOutage: (error) => errors.push(error) })
  server.freeze()
  await expectUnavailableInTime(budgets)
  // The connection ends after 2 s of silence.
  await expect.poll(() => take(budgets).catch(() => errors.length)).toBe(1)
  await expectUnavailableInTime(budgets)
  server.thaw()
  await expectRecovery(budgets)
})

test('Redis budgets reject in time while Redis is gone, report its begin and end, and recover', async () => {
  const server = await ownRedis()
  const errors: (Error | undefined)[] = []
  const budgets = await budgetsAt(server.url, { onOutage: (error) => errors.push(error) })
  await server.kill()
  await expectUnavailableInTime(budgets)
  await expect.poll(() => errors.length).toBe(1)
  await server.restart()
  await expectRecovery(budgets)
  expect(errors).toEqual([expect.any(Error), undefined])
})

test('Redis budgets start while Redis is frozen, and recover when it thaws', async () => {
  const server = await ownRedis()
  server.freeze()
  const budgets = await budgetsAt(server.url)
  await expectUnavailableInTime(budgets)
  server.thaw()
  await expectRecovery(budgets)
})

test('Redis budgets start while Redis is gone, and recover when it comes', async () => {
  const server = await ownRedis()
  await server.kill()
  const budgets = await budgetsAt(server.url)
  await expectUnavailableInTime(budgets)
  await server.restart()
  await expectRecovery(budgets)
})

test('the log has that Redis refuses the password, and not the password', async () => {
  const server = await ownRedis('--requirepass', 'of-the-server')
  const lines: string[] = []
  const log = pino({}, { write: (line: string) => lines.push(line) })
  // Redis's own response ends the wait: the log has the first error of an outage.
  const timeouts = { ...patientTimeouts, ready: 5_000 }
  await budgetsAt(server.url.replace('//', '//:of-the-api@'), { onOutage: logOutage(log, 'Redis'), timeouts })
  await expect.poll(() => lines.join('')).toMatch(/WRONGPASS.*Redis does not respond/)
  expect(lines.join('')).not.toContain('of-the-api')
})

test('Redis budgets reject in time when the host’s name cannot be resolved', async () => {
  const budgets = await budgetsAt('redis://redis.invalid:6379')
  await expectUnavailableInTime(budgets)
  expect(await budgets.ready()).toBe(false)
})

test('Redis budgets close a connection whose peer vanished silently', async () => {
  const server = await ownRedis()
  const pairs: [Socket, Socket][] = []
  const proxy = createServer((client) => {
    const upstream = connect(server.port, '127.0.0.1')
    client.pipe(upstream).pipe(client)
    for (const socket of [client, upstream]) socket.on('error', () => undefined)
    pairs.push([client, upstream])
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  cleanups.push(() => {
    for (const socket of pairs.flat()) socket.destroy()
    proxy.close()
  })
  const budgets = await budgetsAt(`redis://127.0.0.1:${(proxy.address() as AddressInfo).port}`)
  await expectRecovery(budgets)
  for (const [client, upstream] of pairs) {
    client.unpipe(upstream)
    upstream.unpipe(client)
    client.resume()
  }
  await expectUnavailableInTime(budgets)
  await expectRecovery(budgets)
  expect(pairs.length).toBeGreaterThan(1)
})

test('Redis budgets reject in time while a script blocks Redis', async () => {
  const server = await ownRedis('--busy-reply-threshold', '300')
  const budgets = await budgetsAt(server.url)
  const [admin, rescuer] = [await adminOf(server.url), await adminOf(server.url)]
  const endless = admin.eval('while true do end', 0).catch(() => undefined)
  await expectUnavailableInTime(budgets)
  await expect.poll(() => rescuer.script('KILL').catch(() => 'still silent')).toBe('OK')
  await endless
  await expectRecovery(budgets)
})

test('Redis budgets reject in time while Redis loads its data', async () => {
  const slowly = ['--key-load-delay', '500', '--loading-process-events-interval-bytes', '1024']
  const server = await ownRedis(...slowly)
  const admin = await adminOf(server.url)
  await admin.eval("for i = 1, 6000 do redis.call('SET', i, i) end", 0)
  await admin.save()
  await server.kill()
  await server.restart()
  await expect(admin.get('1')).rejects.toThrow(/LOADING/)
  const budgets = await budgetsAt(server.url)
  await expectUnavailableInTime(budgets)
  await expectRecovery(budgets)
})

test('Redis budgets leave a replica, reject in time, and recover when it is a primary again', async () => {
  const server = await ownRedis()
  const budgets = await budgetsAt(server.url)
  const admin = await adminOf(server.url)
  const connections = async () => `${await admin.client('LIST')}`.match(/^id=\d+/gm)
  const before = await connections()
  await admin.replicaof('127.0.0.1', 1)
  await expectUnavailableInTime(budgets)
  await expect.poll(connections).not.toEqual(before)
  await admin.replicaof('NO', 'ONE')
  await expectRecovery(budgets)
})

test('Redis budgets reject in time, and take nothing, while Redis is out of memory', async () => {
  const server = await ownRedis()
  const budgets = await budgetsAt(server.url)
  const admin = await adminOf(server.url)
  await admin.config('SET', 'maxmemory', '1')
  await expectUnavailableInTime(budgets)
  expect(await admin.dbsize()).toBe(0)
  await admin.config('SET', 'maxmemory', '0')
  await expectRecovery(budgets)
})

test('Redis budgets reject in time once they are closed', async () => {
  const server = await ownRedis()
  const budgets = await budgetsAt(server.url)
  await budgets.close()
  await expectUnavailableInTime(budgets)
})
