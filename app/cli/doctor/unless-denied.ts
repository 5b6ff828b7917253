import { isNamed } from '../../../queries/clickhouse/error-codes.ts'

/** What a check found, or that the user may not see it: much of it ClickHouse shows to the writer alone. */
export const unlessDenied = (find: () => Promise<string>): Promise<string> =>
  find().catch((error: unknown) => {
    if (!isNamed(error, 'ACCESS_DENIED')) throw error
    return "not checked: the user in CLICKHOUSE_URL has no permission; run doctor with the collector's URL"
  })
