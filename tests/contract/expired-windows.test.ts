import { afterAll, beforeAll, expect, test } from 'vitest'
import { dayMs } from '../../schema/durations.ts'
import { type ContractApi, createWorld, operations, startContractApi, type TestWorld } from '../support/contract.ts'

let now = Date.now()
let api: ContractApi
let world: TestWorld

beforeAll(async () => {
  api = await startContractApi({ now: () => new Date(now) })
  world = await createWorld(api)
})
afterAll(() => api.close())

/** A window that is all of retention leaves nothing behind. */
const windowed = operations.withPage.filter(([, { window }]) => window !== undefined && window !== 'retention')

test.each(windowed)(
  '%s answers an empty page where retention has left the cursor’s window behind',
  async (_, endpoint) => {
    const asking = { key: world.key, siteId: world.siteIds[0] }
    const started = now
    const first = await api.request(endpoint, { ...asking, query: { limit: '1' } })
    now = started + 400 * dayMs
    const { status, body } = await api.request(endpoint, { ...asking, query: { cursor: first.body.nextCursor } })
    now = started
    expect(status).toBe(200)
    expect(body).toMatchObject({ data: [], nextCursor: null })
  },
)
