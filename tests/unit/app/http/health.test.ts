import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { mountHealth } from '../../../../app/http/health.ts'
import type { ApiEnv, RequestContext } from '../../../../app/pipeline/request-context.ts'
import { Problem } from '../../../../schema/problems.ts'

const read = async () => {
  throw new Problem('upstream_unavailable')
}

test('a probe runs each check once, and its own checks alone decide its status', async () => {
  const runs = { disk: 0, log: 0 }
  const app = new Hono<ApiEnv>()
  app.use(async (c, next) => {
    c.set('request', { responseHeaders: {} } as RequestContext)
    await next()
  })
  mountHealth(app, { read }, undefined, {
    isStopping: () => false,
    furtherChecks: { disk: () => ++runs.disk < 0 },
    ownChecks: { log: async () => ++runs.log > 0 },
  })
  const ready = await app.request('/readyz')
  expect(ready.status).toBe(200)
  expect(await ready.json()).toEqual({
    status: 'ok',
    checks: { engine: 'failing', migrations: 'unknown', disk: 'failing', log: 'ok' },
  })
  expect(runs).toEqual({ disk: 1, log: 1 })
  expect(await (await app.request('/readyz/self')).json()).toEqual({ status: 'ok', checks: { log: 'ok' } })
  expect(runs).toEqual({ disk: 1, log: 2 })
})
