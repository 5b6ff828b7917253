/** @module Statements on one line, as ClickHouse ignores line breaks. */

import type { Query } from '../../queries/sql/query.ts'
import { render } from '../../queries/sql/sql.ts'

export const oneLine = (statement: string): string =>
  statement.trim().replace(/\s+/g, ' ').replaceAll('( ', '(').replaceAll(' )', ')')

export const sqlText = ({ statement }: Query<unknown>): string => oneLine(render(statement).text)
