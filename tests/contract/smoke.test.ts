import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApi, type TestApi } from '../support/api.ts'
let api: TestApi
beforeAll(async () => { api = await startApi() })
afterAll(() => api.close())
test('x', async () => {
  const t = await api.createTenant()
  const site = await api.createSite(t)
  const key = await api.createKey(t)
  console.log(await api.get('/v1/me', { key }), await api.get('/v1/reports/count?siteId='+site, { key }), await api.get('/v1/reports?siteId='+site, { key }))
  console.log((await api.get('/readyz')).text)
})
