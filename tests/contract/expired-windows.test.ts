import { afterAll, beforeAll, expect, test } from 'vitest'
import { dayMs } from '../../schema/durations.ts'
import {
  type ContractApi,
  firstOfEach,
  operations,
  sharedWorlds,
  startContractApi,
  type TestWorld,
} from '../support/contract.ts'

let now = Date.now()
let api: ContractApi
let world: TestWorld

beforeAll(async () => {
  api = await startContractApi({ now: () => new Date(now) })
  ;[world] = await sharedWorlds(api)
})
afterAll(() => api.close())

/** A window that is all of retention leaves nothing behind. */
const windowed = operations.withPage.filter(([, { window }]) => window !== undefined && window !== 'retention')

// One middleware cuts a cursor's window to retention.
test.each(firstOfEach(windowed, ({ window }) => window))(
  '%s takes the repeated window on every page while retention passes its start',
  async (_, endpoint) => {
    const asking = { key: world.key, siteId: world.siteIds[0] }
    const started = now
    const window = {
      from: new Date(started - 2 * dayMs).toISOString(),
      to: new Date(started).toISOString(),
      limit: '1',
    }
    let { body } = await api.request(endpoint, { ...asking, query: window })
    now = started + 89 * dayMs
    for (let page = 2; page < 4 && body.nextCursor !== null; page++) {
      const next = await api.request(endpoint, { ...asking, query: { ...window, cursor: body.nextCursor } })
      expect(next.status).toBe(200)
      body = next.body
    }
    now = started
  },
)

/** Every script ever seen is listed (contract: a script that left every page stays). */
const expiring = windowed.filter(([name]) => name !== 'scripts.list')

test.each(expiring)(
  '%s returns an empty page where retention has left the cursor’s window behind',
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
