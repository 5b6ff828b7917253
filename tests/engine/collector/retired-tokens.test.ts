import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeSiteToken } from '../../../app/collector/site-address.ts'
import { done } from '../../support/cli-commands.ts'
import { startTestCollector, type TestCollector } from '../../support/collector.ts'

let collector: TestCollector
let tenantId: string

beforeAll(async () => {
  collector = await startTestCollector()
  tenantId = await collector.createTenant()
})
afterAll(() => collector?.close())

const report = [{ type: 'crash', url: 'https://shop.example/', body: {} }]

async function post(token: string) {
  const response = await collector.post(token, report)
  const text = await response.text()
  return [response.status, text === '' ? '' : JSON.parse(text).error.code]
}

test('a token that was rotated away is 410, and one that never was is 404', async () => {
  const [first, never] = [makeSiteToken(), makeSiteToken()]
  const site = await collector.createSite(tenantId, { hosts: ['shop.example'], token: first })
  const rotate = async () =>
    (await done('sites', 'rotate-token', '--tenant', tenantId, '--site', site)).response.token as string
  expect(await post(first)).toEqual([204, ''])
  expect(await post(never)).toEqual([404, 'not_found'])
  const [second, third] = [await rotate(), await rotate()]
  expect(await post(third)).toEqual([204, ''])
  for (const token of [first, second]) await expect.poll(() => post(token)).toEqual([410, 'gone'])
  expect(await post(never)).toEqual([404, 'not_found'])
})
