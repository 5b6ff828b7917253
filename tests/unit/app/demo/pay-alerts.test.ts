import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { mountPayAlerts } from '../../../../app/demo/pay-alerts.ts'

const app = new Hono()
mountPayAlerts(app)

const post = async (body: string, headers: Readonly<Record<string, string>> = {}) =>
  (
    await app.request('/demo/hook', {
      method: 'POST',
      body,
      headers: { 'content-length': String(body.length), ...headers },
    })
  ).status

const list = async () => (await app.request('/demo/alerts')).json()

test('the last twenty alerts that were posted are listed, the latest first', async () => {
  expect(await list()).toEqual({ alerts: [] })
  for (let index = 0; index < 25; index++) expect(await post(JSON.stringify({ index }))).toBe(204)
  const indices = Array.from({ length: 20 }, (_, index) => ({ index: 24 - index }))
  expect(await list()).toEqual({ alerts: indices })
})

test('a body that is longer than any alert, or of unknown length, is not read', async () => {
  expect(await post(JSON.stringify('x'.repeat(40_000)))).toBe(413)
  expect(await post('{}', { 'content-length': 'unknown' })).toBe(413)
})
