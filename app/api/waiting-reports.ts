import type { Hono } from 'hono'
import { LRUCache } from 'lru-cache'
import type { Database } from '../../queries/clickhouse/database.ts'
import { onlyRow } from '../../queries/sql/rows.ts'
import { findOldestWaiting } from '../../queries/tenants/activity.ts'
import { rejectOtherMethods } from '../pipeline/reject-other-methods.ts'
import type { ApiEnv } from '../pipeline/request-context.ts'

const path = '/explorer/served/waiting.json'
const readEveryMs = 5_000

/** Serves the age of the oldest report in a collector's log, in seconds, 0 for none; it names no tenant and needs no key. */
export function mountWaitingReports(app: Hono<ApiEnv>, { read }: Pick<Database, 'read'>): void {
  const latest = new LRUCache<string, { readonly seconds: number }>({
    max: 1,
    ttl: readEveryMs,
    fetchMethod: async () => onlyRow(await read(findOldestWaiting)),
  })
  app.get(path, async (c) => {
    const found = await latest.fetch('').catch(() => undefined)
    return c.json({ seconds: found?.seconds ?? 0 }, 200, { 'Cache-Control': 'no-store' })
  })
  rejectOtherMethods(app, path)
}
