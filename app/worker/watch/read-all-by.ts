import type { Database } from '../../../queries/clickhouse/database.ts'
import type { Reader } from '../../../queries/sql/query.ts'

/** Runs queries concurrently and concatenates their rows. */
export const readAllBy =
  (read: Database['read']): Reader['readAll'] =>
  async (queries) =>
    (await Promise.all(queries.map((query) => read(query)))).flat()
