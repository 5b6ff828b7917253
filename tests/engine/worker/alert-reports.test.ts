import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeSiteToken } from '../../../app/collector/site-address.ts'
import { aReport } from '../../../fixtures/reports.ts'
import { dayMs, minuteMs } from '../../../schema/durations.ts'
import { type AlertWorld, createAlertWorld } from '../../support/alert-world.ts'
import { startTestCollector, type TestCollector } from '../../support/collector.ts'
import { queryRows } from '../../support/database.ts'

let world: AlertWorld
let collector: TestCollector

beforeAll(async () => {
  world = await createAlertWorld()
  collector = await startTestCollector({ CLICKHOUSE_URL: world.database.writeUrl })
})
afterAll(() => Promise.all([collector?.close(), world?.close()]))

test('20,000 violations of a new host that browsers post are one message, also where its receiver was down', async () => {
  const { tenantId, destinationId } = await world.createShop()
  const token = makeSiteToken()
  const siteId = await world.api.createSite(tenantId, { name: 'Posted', hosts: ['shop.example'], token })
  await world.api.insertReports([aReport({ tenantId, siteId, receivedAt: Date.now() - 20 * dayMs })])
  const url = 'https://shop.example/cart'
  const report = (index: number) => ({
    ...{ type: 'csp-violation', age: 10, url, user_agent: 'Mozilla/5.0 Chrome/156.0.0.0' },
    body: {
      ...{ documentURL: `${url}?${index}`, blockedURL: `https://skimmer.test/${index}.js`, disposition: 'enforce' },
      effectiveDirective: 'script-src-elem',
    },
  })
  const posts = Array.from({ length: 200 }, (_, post) =>
    Array.from({ length: 100 }, (_, at) => report(post * 100 + at)),
  )
  const sent: unknown[] = []
  const post = async () => {
    for (let body = posts.pop(); body; body = posts.pop()) {
      expect((await collector.post(token, body)).status).toBe(204)
    }
  }
  world.respond((_, response) => void response.writeHead(503).end())
  const posting = Promise.all([post(), post(), post(), post()])
  let isPosting = true
  void posting.finally(() => {
    isPosting = false
  })
  while (isPosting) sent.push(...(await world.pass()))
  await posting
  const stored = await queryRows(world.database.writer, `SELECT count() FROM reports WHERE site_id = '${siteId}'`)
  expect(stored).toEqual([[20_001]])
  const now = Date.now()
  for (let minute = 0; minute < 10; minute++) sent.push(...(await world.pass(now + minute * minuteMs)))
  world.respond((_, response) => void response.writeHead(204).end())
  const [taken, ...others] = await world.pass(now + 30 * minuteMs)
  expect(others).toEqual([])
  expect(taken?.message.data).toMatchObject({ siteId, summary: 'New issue: script-src-elem blocks skimmer.test' })
  for (const refused of sent) expect(refused).toEqual(taken)
  expect(await world.pass(now + 60 * minuteMs)).toEqual([])
  expect((await world.deliveriesOf(tenantId)).map(([, , to, outcome]) => [to, outcome])).toEqual([
    [destinationId, 'delivered'],
  ])
})
