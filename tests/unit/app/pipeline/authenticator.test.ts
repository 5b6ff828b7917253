import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { makeKey } from '../../../../app/api-keys/key-format.ts'
import { createAuthenticator } from '../../../../app/pipeline/authenticator.ts'
import type { PoolName, Query } from '../../../../queries/sql/query.ts'
import type { FoundKey } from '../../../../queries/tenants/keys.ts'

const stored: FoundKey = {
  keyId: 'k',
  keyName: 'Key',
  siteId: null,
  origins: [],
  prefix: 'srk_live_',
  createdAt: '2026-01-01T00:00:00.000Z',
  revoked: false,
  expiresAt: '2100-01-01T00:00:00.000Z',
  tenantId: 't',
  tenantName: 'Tenant',
  plan: 'business',
  overrides: {},
  planVersions: [],
}

/** A clock, an authenticator by it, and the lookups it sends, each completed by hand. */
async function setUp() {
  const clock = { now: 1_000_000, elapsed: 5_000 }
  const lookUps: { pool: PoolName | undefined; response: (rows: FoundKey[]) => void; fail: (error: Error) => void }[] =
    []
  const read = <Row>({ pool }: Query<Row>) =>
    new Promise<FoundKey[]>((response, fail) => {
      lookUps.push({ pool, response, fail })
    }) as Promise<unknown[]> as Promise<Row[]>
  const authenticate = createAuthenticator(read, { now: () => clock.now, elapsed: () => clock.elapsed })
  const authorization = `Bearer ${makeKey()}`
  const send = () => authenticate(authorization)
  const first = send()
  lookUps[0]?.response([stored])
  await first
  const wait = (milliseconds: number) => {
    clock.now += milliseconds
    clock.elapsed += milliseconds
  }
  const setBack = (milliseconds: number) => {
    clock.now -= milliseconds
  }
  return { wait, setBack, lookUps, send }
}

test('a key in use is refreshed once before it expires from the cache, and no request waits', async () => {
  const { wait, lookUps, send } = await setUp()
  wait(1_900)
  await send()
  expect(lookUps).toHaveLength(1)
  wait(200)
  await Promise.all([send(), send(), send()])
  expect(lookUps).toHaveLength(2)
  lookUps[1]?.response([{ ...stored, revoked: true }])
  await sleep(0)
  await expect(send()).rejects.toMatchObject({ code: 'invalid_api_key' })
})

test('a known key never waits behind lookups of unknown keys', async () => {
  const { wait, lookUps, send } = await setUp()
  wait(60 * 60_000)
  const late = send()
  lookUps[1]?.response([stored])
  await late
  expect(lookUps.map(({ pool }) => pool)).toEqual(['unknownKey', 'lookup'])
})

test('a revoked key in constant use is rejected within five seconds', async () => {
  const { wait, lookUps, send } = await setUp()
  const revoked = { ...stored, revoked: true }
  let waited = 0
  for (; waited < 5_000; waited += 250) {
    for (const { response } of lookUps.slice(1)) response([revoked])
    await sleep(0)
    if (
      await send().then(
        () => false,
        () => true,
      )
    )
      break
    wait(250)
  }
  expect(waited).toBeLessThan(5_000)
})

test('a key whose refresh fails is valid until it expires from the cache, and no longer', async () => {
  const { wait, lookUps, send } = await setUp()
  wait(2_100)
  await send()
  lookUps[1]?.fail(new Error('away'))
  wait(1_800)
  await send()
  lookUps[2]?.fail(new Error('away'))
  wait(200)
  const late = send()
  lookUps[3]?.fail(new Error('away'))
  await expect(late).rejects.toThrow('away')
})

test('a cached key expires in time although the clock is set back', async () => {
  const { wait, setBack, lookUps, send } = await setUp()
  setBack(3_600_000)
  wait(4_100)
  const late = send()
  expect(lookUps).toHaveLength(2)
  lookUps[1]?.response([{ ...stored, revoked: true }])
  await expect(late).rejects.toMatchObject({ code: 'invalid_api_key' })
})

test('the age of a cached key counts from the start of its lookup', async () => {
  const { wait, lookUps, send } = await setUp()
  wait(2_100)
  await send()
  wait(1_900)
  lookUps[1]?.response([stored])
  await sleep(0)
  wait(2_200)
  const late = send()
  expect(lookUps).toHaveLength(3)
  lookUps[2]?.response([{ ...stored, revoked: true }])
  await expect(late).rejects.toMatchObject({ code: 'invalid_api_key' })
})
