import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { makeSiteToken } from '../../../app/collector/site-address.ts'
import { startApi } from '../../support/api.ts'
import { startTestCollector } from '../../support/collector.ts'

/** From a 204, which comes up to 500 ms and an insert after its post, to the first poll that must count it. */
const foundWithinMs = 1_000

test('a polling dashboard finds reports as they come, and reads its cache once they cease', async () => {
  let counts = 0
  const api = await startApi({
    onRead({ name }) {
      if (name === 'countReports') counts++
    },
  })
  const collector = await startTestCollector()
  try {
    const [tenantId, token] = [await api.createTenant(), makeSiteToken()]
    await api.createSite(tenantId, { hosts: ['shop.example'], token })
    const key = await api.createKey(tenantId)
    const to = new Date(Date.now() + 3_600_000).toISOString()
    const from = new Date(Date.now() - 3_600_000).toISOString()
    const url = 'https://shop.example/'
    const body = [{ type: 'csp-violation', url, body: { documentURL: url, blockedURL: 'inline' } }]
    const sentAt: number[] = []
    const storedAt: number[] = []
    const foundAt: number[] = []

    async function post(): Promise<void> {
      sentAt.push(performance.now())
      expect((await collector.post(token, body)).status).toBe(204)
      storedAt.push(performance.now())
    }
    async function poll(): Promise<void> {
      const due = storedAt.filter((time) => time < performance.now() - foundWithinMs).length
      const { status, body } = await api.get(`/v1/reports/count?from=${from}&to=${to}`, { key })
      expect(status).toBe(200)
      const { reportCount } = body.data
      expect(reportCount).toBeGreaterThanOrEqual(due)
      expect(reportCount).toBeLessThanOrEqual(sentAt.length)
      while (foundAt.length < reportCount) foundAt.push(performance.now())
    }
    let flowing = true
    async function pollAll(): Promise<void> {
      while (flowing || foundAt.length < sentAt.length) {
        await poll()
        await sleep(50)
      }
    }
    async function postAll(): Promise<void> {
      const posts: Promise<void>[] = []
      for (let index = 0; index < 16; index++) {
        posts.push(post())
        await sleep(500)
      }
      await Promise.all(posts)
      flowing = false
    }
    await Promise.all([postAll(), pollAll()])
    // The median, because a busy machine can hold back one of them.
    const lags = foundAt.map((time, index) => time - (sentAt[index] as number)).sort((a, b) => a - b)
    expect(lags[8]).toBeLessThan(2_000)

    const isHit = async () => {
      const before = counts
      await poll()
      return counts === before
    }
    await expect.poll(isHit).toBe(true)
    await post()
    await expect.poll(() => poll().then(() => foundAt.length)).toBe(17)
    await expect.poll(isHit).toBe(true)
  } finally {
    await collector.close()
    await api.close()
  }
}, 60_000)
