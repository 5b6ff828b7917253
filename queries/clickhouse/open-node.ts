import { type ClickHouseClient, type ClickHouseSettings, createClient } from '@clickhouse/client'
import { isNamed } from './error-codes.ts'
import { application, keepAliveMs, openHttpTransport } from './http-transport.ts'
import { withTimeout } from './with-timeout.ts'

/** One ClickHouse server as one of its users. */
export interface ClickHouseNode {
  /** For statements that write, and complete results of any format. */
  readonly client: ClickHouseClient
  /** For reads. */
  readonly transport: ReturnType<typeof openHttpTransport>
  /** Rejects with TimedOut, or with the fault. */
  select1(timeoutMs: number): Promise<unknown>
  ping(timeoutMs: number): Promise<boolean>
  /** True if it has every known part of replicated tables that is older than a second. Rejects like `select1`. */
  isInStep(of: 'its database' | 'every database', timeoutMs: number): Promise<boolean>
  /** Number of the database's views, a shard's included; undefined if it does not respond or has no tables. */
  countViews(timeoutMs: number): Promise<number | undefined>
  close(): Promise<void>
}

/**
 * Replicated tables that lack parts older than a second. If a table has not read its log since its start, the delay is
 * the Unix time; without Keeper the delay grows while the queue is empty.
 */
const countBehind = `
  SELECT count()
  FROM system.replicas
  WHERE absolute_delay > 0 AND (inserts_in_queue > 0 OR absolute_delay > 1000000000)`

const countViews = `
  SELECT if(count() = 0, '', toString(countIf(engine = 'MaterializedView')))
  FROM system.tables
  WHERE database IN (currentDatabase(), concat(currentDatabase(), '_shard'))`

/** @param settings of `client`. */
export function openNode(url: string, settings: Readonly<Record<string, string | number>>): ClickHouseNode {
  const client = createClient({
    url,
    application,
    request_timeout: 10 * 60_000,
    keep_alive: { enabled: true, idle_socket_ttl: keepAliveMs },
    log: { level: 127 },
    clickhouse_settings: settings as ClickHouseSettings,
  })
  const transport = openHttpTransport(url)
  const send = (text: string, timeoutMs: number) =>
    withTimeout(timeoutMs, (signal) => transport.send({ text, params: {} }, {}, signal))
  const select1 = (timeoutMs: number) => send('SELECT 1', timeoutMs)
  return {
    client,
    transport,
    select1,
    ping: (timeoutMs) =>
      select1(timeoutMs).then(
        () => true,
        () => false,
      ),
    isInStep: (of, timeoutMs) =>
      send(of === 'its database' ? `${countBehind} AND database = currentDatabase()` : countBehind, timeoutMs).then(
        (rows) => Number(rows) === 0,
        (error: unknown) => {
          // A server of an older release lacks the grant (server/users.xml).
          if (isNamed(error, 'ACCESS_DENIED')) return of === 'its database'
          throw error
        },
      ),
    countViews: (timeoutMs) =>
      send(countViews, timeoutMs).then(
        (rows) => (rows.trim() === '' ? undefined : Number(rows)),
        () => undefined,
      ),
    async close() {
      await Promise.all([transport.close(), client.close()])
    },
  }
}
