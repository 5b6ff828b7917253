import { Readable } from 'node:stream'
import { type ClickHouseSettings, EXCEPTION_TAG_HEADER_NAME } from '@clickhouse/client'
import type { Database, StatementOptions } from './client.ts'
import { withoutExceptionTrailer } from './exception-trailer.ts'
import type { Nodes } from './nodes.ts'
import type { ClickHouseNode } from './open-node.ts'

const optionsOf = ({ params, settings, signal }: StatementOptions) => ({
  ...(params && { query_params: params }),
  ...(settings && { clickhouse_settings: settings }),
  ...(signal && { abort_signal: signal }),
})

/** Statements by the official client, on one of the nodes. */
export function statementsOn(nodes: Nodes<ClickHouseNode>): Pick<Database, 'command' | 'insert' | 'stream'> {
  return {
    async command(statement, options = {}) {
      await nodes.write(({ client }) => client.command({ query: statement, ...optionsOf(options) }))
    },
    async insert(statement, rows, options = {}) {
      const isBuffer = Buffer.isBuffer(rows)
      const { stream } = await nodes.write(
        ({ client }) =>
          client.exec({
            query: statement,
            values: isBuffer ? Readable.from([rows], { objectMode: false }) : rows,
            ...optionsOf(options),
          }),
        isBuffer ? undefined : 'once',
      )
      for await (const _ of stream);
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
