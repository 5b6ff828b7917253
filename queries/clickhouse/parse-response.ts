/** Cost of a statement in ClickHouse, without its queue. */
export interface QueryCost {
  readonly rowsRead: number
  readonly bytesRead: number
  readonly elapsedMs: number
}

interface JsonCompact {
  readonly exception?: string
  readonly meta: readonly { readonly name: string }[]
  readonly data: readonly (readonly unknown[])[]
  readonly rows: number
  readonly statistics?: { readonly elapsed: number; readonly rows_read: number; readonly bytes_read: number }
}

/** Rows by column name from a complete JSONCompact document. Throws for a truncated document and for a proxy's page. */
export function parseResponse(body: string): { rows: Record<string, unknown>[]; cost: QueryCost | undefined } {
  const { exception, meta, data, rows, statistics } = JSON.parse(body) as Partial<JsonCompact>
  if (exception !== undefined) throw new Error(`ClickHouse aborted its response: ${exception}`)
  if (!Array.isArray(meta) || !Array.isArray(data) || data.length !== rows) {
    throw new Error('The response is not a complete JSONCompact document')
  }
  const names = (meta as JsonCompact['meta']).map(({ name }) => name)
  return {
    rows: (data as JsonCompact['data']).map((values) => toObject(names, values)),
    cost: statistics && {
      rowsRead: statistics.rows_read,
      bytesRead: statistics.bytes_read,
      elapsedMs: statistics.elapsed * 1000,
    },
  }
}

function toObject(names: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  for (const [index, name] of names.entries()) row[name] = values[index]
  return row
}
