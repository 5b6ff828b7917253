import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { cursorFingerprint } from '../../app/pipeline/cursor.ts'
import type { Endpoint } from '../../app/pipeline/endpoint.ts'
import { dayMs } from '../../schema/durations.ts'
import {
  type ContractApi,
  firstOfEach,
  operations,
  pathOf,
  type Query,
  requiredQuery,
  sharedWorlds,
  siteRequest,
  startContractApi,
  type TestWorld,
} from '../support/contract.ts'

/** [version, fingerprint, [from, to], depth, position], as the cursor's text holds it. */
type Payload = [unknown, unknown, unknown, unknown, unknown]

let api: ContractApi
let world: TestWorld
let other: TestWorld

beforeAll(async () => {
  api = await startContractApi()
  ;[world, other] = await sharedWorlds(api)
})
afterAll(() => api.close())

const send = (endpoint: Endpoint, query: Query, { key, siteIds } = world) =>
  api.request(endpoint, { key, siteId: siteIds[0], query })

const firstCursors = new Map<string, Promise<string>>()

/** The cursor of a first page, requested once. */
function firstCursor(endpoint: Endpoint, query: Query = {}, of = world): Promise<string> {
  const request = JSON.stringify([endpoint.name, query, of.tenantId])
  const known = firstCursors.get(request) ?? newCursor(endpoint, query, of)
  firstCursors.set(request, known)
  return known
}

async function newCursor(endpoint: Endpoint, query: Query, of: TestWorld): Promise<string> {
  const { body } = await send(endpoint, { limit: '1', ...query }, of)
  expect(body.nextCursor).toEqual(expect.any(String))
  return body.nextCursor
}

const open = (cursor: string): Payload => JSON.parse(Buffer.from(cursor, 'base64url').toString())
const seal = (payload: unknown) => Buffer.from(JSON.stringify(payload)).toString('base64url')

describe.each(operations.withPage)('%s', (_, endpoint) => {
  test('continues where the first page ended, in pages of any size', async () => {
    const to = typeof endpoint.window === 'object' ? new Date().toISOString() : undefined
    const whole = await send(endpoint, { to, limit: '7' })
    const head = await send(endpoint, { to, limit: '2' })
    const tail = await send(endpoint, { cursor: head.body.nextCursor, limit: '5' })
    expect([...head.body.data, ...tail.body.data]).toEqual(whole.body.data)
  })

  test('stops at its greatest depth', async () => {
    const cursor = seal(open(await firstCursor(endpoint)).with(3, (endpoint.page?.maxDepth ?? 0) - 1))
    const { body } = await send(endpoint, { cursor, limit: '5' })
    expect(body.data).toHaveLength(1)
    expect(body.nextCursor).toBeNull()
  })

  test('has no position of another kind', () => {
    for (const position of wrongPositions) {
      expect(endpoint.page?.position.schema.safeParse(position).success, JSON.stringify(position)).toBe(false)
    }
  })
})

const wrongPositions = [null, 'x', 7, {}, [], { receivedAt: 'now', id: 'x' }]

const refused = (words = 'cursor') => ({
  status: 400,
  body: { error: { code: 'bad_request', message: expect.stringContaining(words) } },
})

/** A cursor's payloads with these values in a place. */
const replaced = (index: number, values: readonly unknown[]) =>
  values.map((value) => (payload: Payload) => payload.with(index, value))

// One middleware decodes cursors, by these properties of an operation and the schema of its position.
const decoding = firstOfEach(operations.withPage, ({ window, page }) => [window, page?.maxDepth])

describe.each(decoding)('%s', (name, endpoint) => {
  const takesWindow = typeof endpoint.window === 'object'
  const maxDepth = endpoint.page?.maxDepth ?? 0

  async function expectTamperedRefused(...tamperings: ((payload: Payload) => unknown)[]) {
    const cursor = open(await firstCursor(endpoint))
    for (const tamper of tamperings) {
      const tampered = tamper(cursor)
      expect({ tampered, ...(await send(endpoint, { cursor: seal(tampered) })) }).toMatchObject(refused())
    }
  }

  if (takesWindow) {
    const window = { from: new Date(Date.now() - 2 * dayMs).toISOString(), to: new Date().toISOString() }

    test('takes from and to beside a cursor that repeat its window, or neither', async () => {
      const cursor = await firstCursor(endpoint, window)
      const { from, to } = window
      const [first, ...rest] = await Promise.all(
        [{}, { from }, { to }, window].map((query) => send(endpoint, { cursor, ...query })),
      )
      expect(first?.status).toBe(200)
      for (const response of rest) expect(response.text).toBe(first?.text)
    })

    test('rejects another from or to beside a cursor by name', async () => {
      const cursor = await firstCursor(endpoint, window)
      for (const [end, distance] of [
        ['from', 1],
        ['from', -2_000 * dayMs],
        ['to', -1],
        ['to', dayMs],
      ] as const) {
        const words = `with a cursor, ${end} must be ${window[end]}`
        const time = new Date(Date.parse(window[end]) + distance).toISOString()
        expect(await send(endpoint, { cursor, [end]: time })).toMatchObject(refused(words))
      }
    })
  }

  test('rejects what is no cursor', async () => {
    for (const cursor of ['x', '!', 'bnVsbA', 'W10', '[]', '%00', 'A'.repeat(1024)]) {
      expect({ cursor, ...(await send(endpoint, { cursor })) }).toMatchObject(refused())
    }
  })

  test('rejects a cursor longer than 1,024 characters or with one outside its alphabet', async () => {
    const cursor = await firstCursor(endpoint)
    const junk = [`${cursor}!`, `${cursor}=`, ` ${cursor}`, `${cursor.slice(0, 9)}\n${cursor.slice(9)}`]
    for (const wrong of ['A'.repeat(1025), ...junk]) {
      expect(await send(endpoint, { cursor: wrong })).toMatchObject(
        refused('cursor must be the nextCursor of the previous page, 1 to 1024'),
      )
    }
  })

  test('rejects a cursor of another operation', async () => {
    const [siteId] = world.siteIds
    const query = z.object(endpoint.query).parse(requiredQuery(endpoint, siteId))
    const filters = { ...pathOf(endpoint, siteId), ...query }
    const fingerprint = open(await firstCursor(endpoint))[1]
    expect(cursorFingerprint(name, world.tenantId, filters)).toBe(fingerprint)
    const elsewhere = cursorFingerprint(`${name}.other`, world.tenantId, filters)
    await expectTamperedRefused(...replaced(1, [elsewhere]))
  })

  test('rejects a cursor of other filters', async () => {
    const [one, two] = world.siteIds
    const at = (siteId: string, query: Query) => {
      const site = siteRequest(endpoint, siteId)
      return api.request(endpoint, { key: world.key, siteId, query: { ...site.query, ...query } })
    }
    const ofOne = (await at(one, { limit: '1' })).body.nextCursor
    // A site is a list of one.
    if (name === 'sites.list') expect(ofOne).toBeNull()
    else {
      expect(await at(one, { cursor: ofOne })).toMatchObject({ status: 200 })
      expect(await at(two, { cursor: ofOne })).toMatchObject(refused('another query'))
    }
    if (!('siteId' in endpoint.query)) return
    if (ofOne) expect(await send(endpoint, { cursor: ofOne })).toMatchObject(refused('another query'))
    const ofAll = await firstCursor(endpoint)
    expect(await at(one, { cursor: ofAll })).toMatchObject(refused('another query'))
  })

  test('rejects a cursor of another tenant', async () => {
    const cursor = await firstCursor(endpoint, {}, other)
    expect(await send(endpoint, { cursor })).toMatchObject(refused('another query'))
  })

  test('rejects a cursor whose depth or position became another', async () => {
    const depths = [0, -1, 1.5, maxDepth, maxDepth * 100, '1', null]
    await expectTamperedRefused(...replaced(3, depths), ...replaced(4, wrongPositions))
  })

  if (endpoint.window) {
    test('rejects a cursor whose window became empty, reversed, too early, too late, open, text or too long', async () => {
      const [from, to] = open(await firstCursor(endpoint))[2] as number[]
      const windows = [[from, from], [to, from], [-1, to], [from, 1e16], null, ['2026-01-01', '2026-01-02']]
      const longer = takesWindow ? [[Number(to) - 400 * dayMs, to]] : []
      await expectTamperedRefused(...replaced(2, [...windows, ...longer]))
    })
  }

  test('rejects a cursor of another version or length', async () => {
    const others = [(payload: Payload) => [...payload, 0], (payload: Payload) => payload.slice(0, 4)]
    await expectTamperedRefused(...replaced(0, [2]), ...others)
  })
})
