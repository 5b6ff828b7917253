import { readFile } from 'node:fs/promises'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { z } from 'zod'

/** Hono alone, the baseline: a GET returns its path's body from the JSON file named in the first argument. */
const bodies = z.record(z.string(), z.string()).parse(JSON.parse(await readFile(process.argv[2] ?? '', 'utf8')))
const app = new Hono()
app.get('*', (c) => {
  const { pathname, search } = new URL(c.req.url)
  return c.body(bodies[pathname + search] ?? '', 200, { 'Content-Type': 'application/json' })
})
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => {
  process.stdout.write(`Serving on http://127.0.0.1:${port}\n`)
})
