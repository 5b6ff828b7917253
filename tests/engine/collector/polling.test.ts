import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { makeSiteToken } from '../../../app/collector/site-address.ts'
import { importVersionTtlMs } from '../../../schema/durations.ts'
import { startApi } from '../../support/api.ts'
import { startTestCollector } from '../../support/collector.ts'

/** From a 204 to the first request whose import version is read after it; both by the clock of this process. */
const foundWithinMs = importVersionTtlMs + 100
const postCount = 8

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
    let sent = 0
    const storedAt: number[] = []
    let found = 0

    async function post(): Promise<void> {
      sent++
      expect((await collector.post(token, body)).status).toBe(204)
      storedAt.push(performance.now())
    }
    async function poll(): Promise<void> {
      const due = storedAt.filter((time) => time < performance.now() - foundWithinMs).length
      const { status, body } = await api.get(`/v1/reports/count?from=${from}&to=${to}`, { key })
      expect(status).toBe(200)
      const { reportCount } = body.data
      expect(reportCount).toBeGreaterThanOrEqual(due)
      expect(reportCount).toBeLessThanOrEqual(sent)
      found = reportCount
    }
    let flowing = true
    async function pollAll(): Promise<void> {
      while (flowing || found < sent) {
        await poll()
        await sleep(50)
      }
    }
    async function postAll(): Promise<void> {
      const posts: Promise<void>[] = []
      for (let index = 0; index < postCount; index++) {
        posts.push(post())
        await sleep(500)
      }
      await Promise.all(posts)
      flowing = false
    }
    await Promise.all([postAll(), pollAll()])
    const isHit = async () => {
      const before = counts
      await poll()
      return counts === before
    }
    await expect.poll(isHit).toBe(true)
    await post()
    await expect.poll(() => poll().then(() => found)).toBe(postCount + 1)
    await expect.poll(isHit).toBe(true)
  } finally {
    await collector.close()
    await api.close()
  }
})
