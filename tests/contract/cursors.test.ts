import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { cursorFingerprint } from '../../app/pipeline/cursor.ts'
import type { Endpoint } from '../../app/pipeline/endpoint.ts'
import { dayMs } from '../../schema/durations.ts'
import {
  type ContractApi,
  createWorlds,
  operations,
  pathOf,
  type Query,
  requiredQuery,
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
  ;[world, other] = await createWorlds(api, [1, 1])
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

describe.each(operations.withPage)('%s', (name, endpoint) => {
  const refused = (words = 'cursor') => ({
    status: 400,
    body: { error: { code: 'bad_request', message: expect.stringContaining(words) } },
  })

  const takesWindow = typeof endpoint.window === 'object'
  const maxDepth = endpoint.page?.maxDepth ?? 0

  async function expectTamperedRefused(tamper: (payload: Payload) => unknown) {
    const cursor = seal(tamper(open(await firstCursor(endpoint))))
    expect(await send(endpoint, { cursor })).toMatchObject(refused())
  }

  test('continues where the first page ended, in pages of any size', async () => {
    const to = takesWindow ? new Date().toISOString() : undefined
    const whole = await send(endpoint, { to, limit: '7' })
    const head = await send(endpoint, { to, limit: '2' })
    const tail = await send(endpoint, { cursor: head.body.nextCursor, limit: '5' })
    expect([...head.body.data, ...tail.body.data]).toEqual(whole.body.data)
  })

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

    test.each([
      ['from', 1],
      ['from', -2_000 * dayMs],
      ['to', -1],
      ['to', dayMs],
    ] as const)('rejects another %s beside a cursor by name: %d ms away', async (end, distance) => {
      const cursor = await firstCursor(endpoint, window)
      const words = `${end} beside a cursor must be its window’s, ${window[end]}`
      const time = new Date(Date.parse(window[end]) + distance).toISOString()
      expect(await send(endpoint, { cursor, [end]: time })).toMatchObject(refused(words))
    })
  }

  test.each(['x', '!', 'bnVsbA', 'W10', '[]', '%00', 'A'.repeat(1024)])('rejects %s', async (cursor) => {
    expect(await send(endpoint, { cursor })).toMatchObject(refused())
  })

  test('rejects a cursor longer than 1,024 characters', async () => {
    expect(await send(endpoint, { cursor: 'A'.repeat(1025) })).toMatchObject(refused('cursor must be 1 to 1024'))
  })

  test('rejects a cursor with a character outside its alphabet', async () => {
    const cursor = await firstCursor(endpoint)
    for (const junk of [`${cursor}!`, `${cursor}=`, ` ${cursor}`, `${cursor.slice(0, 9)}\n${cursor.slice(9)}`]) {
      expect(await send(endpoint, { cursor: junk })).toMatchObject(refused('cursor must be 1 to 1024'))
    }
  })

  test('rejects a cursor of another operation', async () => {
    const [siteId] = world.siteIds
    const query = z.object(endpoint.query).parse(requiredQuery(endpoint, siteId))
    const filters = { ...pathOf(endpoint, siteId), ...query }
    const fingerprint = open(await firstCursor(endpoint))[1]
    expect(cursorFingerprint(name, world.tenantId, filters)).toBe(fingerprint)
    const elsewhere = cursorFingerprint(`${name}.other`, world.tenantId, filters)
    await expectTamperedRefused(([version, , ...rest]) => [version, elsewhere, ...rest])
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

  test.each([0, -1, 1.5, maxDepth, maxDepth * 100, '1', null])(
    'rejects a cursor whose depth became %j',
    async (depth) => {
      await expectTamperedRefused(([version, fingerprint, window, , position]) => [
        version,
        fingerprint,
        window,
        depth,
        position,
      ])
    },
  )

  const longer = ['longer than the operation reads', ([, to]: number[]) => [Number(to) - 400 * dayMs, to]] as const
  const wrongWindows = [
    ['empty', ([from]: number[]) => [from, from]],
    ['the wrong way round', ([from, to]: number[]) => [to, from]],
    ['before 1970', ([, to]: number[]) => [-1, to]],
    ['beyond every calendar', ([from]: number[]) => [from, 1e16]],
    ['open', () => null],
    ['text', () => ['2026-01-01', '2026-01-02']],
  ] as const
  const windows = takesWindow ? [longer, ...wrongWindows] : endpoint.window ? wrongWindows : []
  test.each(windows)('rejects a cursor whose window became %s', async (_, tamper) => {
    await expectTamperedRefused(([version, fingerprint, window, ...rest]) => [
      version,
      fingerprint,
      tamper(window as number[]),
      ...rest,
    ])
  })

  test.each([null, 'x', 7, {}, [], { receivedAt: 'now', id: 'x' }])(
    'refuses one whose position became %j',
    async (position) => {
      await expectTamperedRefused(([version, fingerprint, window, depth]) => [
        version,
        fingerprint,
        window,
        depth,
        position,
      ])
    },
  )

  test('rejects a cursor of another version or length', async () => {
    await expectTamperedRefused(([, ...rest]) => [2, ...rest])
    await expectTamperedRefused((payload) => [...payload, 0])
    await expectTamperedRefused((payload) => payload.slice(0, 4))
  })

  test('stops at its greatest depth', async () => {
    const [version, fingerprint, window, , position] = open(await firstCursor(endpoint))
    const cursor = seal([version, fingerprint, window, maxDepth - 1, position])
    const { body } = await send(endpoint, { cursor, limit: '5' })
    expect(body.data).toHaveLength(1)
    expect(body.nextCursor).toBeNull()
  })
})
