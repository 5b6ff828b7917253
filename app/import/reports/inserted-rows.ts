/** @module Rows of an insert block, read back where ClickHouse can have lost some of them. */

import { storedFieldNames } from '../../../schema/stored-report.ts'

export interface InsertedRow {
  /** As it was inserted, without its line end. */
  readonly line: string
  readonly tenantId: string
  readonly siteId: string
  readonly receivedAt: number
  readonly id: string
}

const indexes = {
  tenantId: storedFieldNames.indexOf('tenantId'),
  siteId: storedFieldNames.indexOf('siteId'),
  receivedAt: storedFieldNames.indexOf('receivedAt'),
  id: storedFieldNames.indexOf('id'),
}

/** @param bytes lines of `toInsertLine`. */
export function readInsertedRows(bytes: Buffer): InsertedRow[] {
  const lines = bytes.toString('utf8').split('\n').slice(0, -1)
  return lines.map((line) => {
    const values = JSON.parse(line)
    const { tenantId, siteId, receivedAt, id } = indexes
    return { line, tenantId: values[tenantId], siteId: values[siteId], receivedAt: values[receivedAt], id: values[id] }
  })
}

export const toInsertBytes = (rows: readonly InsertedRow[]): Buffer =>
  Buffer.from(rows.map(({ line }) => `${line}\n`).join(''))
