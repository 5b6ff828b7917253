import { isNamed } from '../../../queries/clickhouse/error-codes.ts'

/** A check's finding, or a note that the user has no permission: ClickHouse shows much only to the writer. */
export const unlessDenied = (find: () => Promise<string>): Promise<string> =>
  find().catch((error: unknown) => {
    if (!isNamed(error, 'ACCESS_DENIED')) throw error
    return "not checked: the user in CLICKHOUSE_URL has no permission; run doctor with the collector's URL"
  })
