import { Readable } from 'node:stream'
import { type ClickHouseClient, type ClickHouseSettings, EXCEPTION_TAG_HEADER_NAME } from '@clickhouse/client'
import type { Database, StatementOptions } from './database.ts'
import { withoutExceptionTrailer } from './exception-trailer.ts'
import { type Nodes, wasNeverSent } from './nodes.ts'
import type { ClickHouseNode } from './open-node.ts'

const optionsOf = ({ params, settings, signal, queryId }: StatementOptions) => ({
  ...(params && { query_params: params }),
  ...(settings && { clickhouse_settings: settings }),
  ...(signal && { abort_signal: signal }),
  ...(queryId && { query_id: queryId }),
})

export interface Writes {
  /** Settings of each statement. Rejects if writes are not possible. */
  settings(): Promise<ClickHouseSettings>
  /** Called when a write failed. */
  onFault(): void
  /** Runs an insert. */
  insert(insert: () => Promise<void>): Promise<void>
}

/** Statements through the official client, on one of the nodes. */
export function statementsOn(
  nodes: Nodes<ClickHouseNode>,
  writes: Writes,
): Pick<Database, 'command' | 'insert' | 'stream'> {
  async function write(options: StatementOptions, send: (options: ReturnType<typeof optionsOf>) => Promise<unknown>) {
    const settings = { ...(await writes.settings()), ...options.settings }
    await send(optionsOf({ ...options, settings })).catch((error: unknown) => {
      writes.onFault()
      throw error
    })
  }
  return {
    command: (statement, options = {}) =>
      write(options, (all) => nodes.write(({ client }) => client.command({ query: statement, ...all }))),
    insert(statement, rows, options = {}) {
      const isBuffer = Buffer.isBuffer(rows)
      const send = () =>
        write(options, async (all) => {
          const { stream } = await nodes.write(
            ({ client }) =>
              client.exec({
                query: statement,
                values: isBuffer ? Readable.from([rows], { objectMode: false }) : rows,
                ...all,
              }),
            isBuffer ? undefined : 'once',
          )
          for await (const _ of stream);
        })
      return writes.insert(send)
    },
    async stream(statement, format, { params, settings } = {}) {
      const { stream, response_headers } = await nodes.write(({ client }) =>
        client.exec({
          query: statement,
          ...(params && { query_params: params }),
          clickhouse_settings: { ...settings, default_format: format } as ClickHouseSettings,
        }),
      )
      const tag = response_headers[EXCEPTION_TAG_HEADER_NAME]?.toString()
      return withoutExceptionTrailer(stream, tag)
    },
  }
}

export function killOn(nodes: readonly ClickHouseNode[], aliveTimeoutMs: number): Database['killQuery'] {
  return async (queryId, signal) => {
    const killed = nodes.map(
      async ({ client, ping }) =>
        (nodes.length === 1 || (await ping(aliveTimeoutMs))) && killQuery(client, queryId, signal),
    )
    return (await Promise.all(killed)).some(Boolean)
  }
}

/**
 * A statement has its id on the node that received it, and as `initial_query_id` on the others; a node that is down
 * runs none.
 */
async function killQuery(client: ClickHouseClient, queryId: string, signal: AbortSignal): Promise<boolean> {
  const query = 'KILL QUERY WHERE initial_query_id = {queryId:String} SYNC'
  try {
    const killed = await client.query({ query, format: 'JSONEachRow', ...optionsOf({ params: { queryId }, signal }) })
    return (await killed.json()).length > 0
  } catch (error) {
    if (wasNeverSent(error)) return false
    throw error
  }
}
