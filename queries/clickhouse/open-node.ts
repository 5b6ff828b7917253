import { type ClickHouseClient, type ClickHouseSettings, createClient } from '@clickhouse/client'
import { application, keepAliveMs, openHttpTransport } from './http-transport.ts'
import { withTimeout } from './with-timeout.ts'

/** One ClickHouse server as one of its users. */
export interface ClickHouseNode {
  /** For statements that write, and whole results of any format. */
  readonly client: ClickHouseClient
  /** For reads. */
  readonly transport: ReturnType<typeof openHttpTransport>
  /** Rejects with TimedOut, or with the fault. */
  select1(timeoutMs: number): Promise<unknown>
  ping(timeoutMs: number): Promise<boolean>
  close(): Promise<void>
}

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
  const select1 = (timeoutMs: number) =>
    withTimeout(timeoutMs, (signal) => transport.send({ text: 'SELECT 1', params: {} }, {}, signal))
  return {
    client,
    transport,
    select1,
    ping: (timeoutMs) =>
      select1(timeoutMs).then(
        () => true,
        () => false,
      ),
    async close() {
      await Promise.all([transport.close(), client.close()])
    },
  }
}
