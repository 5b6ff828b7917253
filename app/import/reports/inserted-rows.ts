/** @module Rows of an insert block, read again if ClickHouse may have lost some. */

import { storedFieldRows } from '../../../schema/stored-report.ts'
import { blockColumns } from './insert-block.ts'

export interface InsertedRow {
  /** The inserted line without its line end. */
  readonly line: string
  readonly tenantId: string
  readonly siteId: string
  readonly receivedAt: number
  readonly id: string
}

const columnOf = (field: 'tenantId' | 'siteId' | 'receivedAt' | 'id') => storedFieldRows[field].column

/** @param bytes lines of `toInsertLine`, of these columns. */
export function readInsertedRows(bytes: Buffer, columns: readonly string[] = blockColumns): InsertedRow[] {
  const [tenantId, siteId, receivedAt, id] = (['tenantId', 'siteId', 'receivedAt', 'id'] as const).map((field) =>
    columns.indexOf(columnOf(field)),
  ) as [number, number, number, number]
  const lines = bytes.toString('utf8').split('\n').slice(0, -1)
  return lines.map((line) => {
    const values = JSON.parse(line)
    return { line, tenantId: values[tenantId], siteId: values[siteId], receivedAt: values[receivedAt], id: values[id] }
  })
}

export const toInsertBytes = (rows: readonly InsertedRow[]): Buffer =>
  Buffer.from(rows.map(({ line }) => `${line}\n`).join(''))
