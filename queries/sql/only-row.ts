/** The row of a question that always has one, such as a sum. Throws where there is another number of them. */
export function onlyRow<Row>(rows: readonly Row[]): Row {
  const [row, ...others] = rows
  if (row === undefined || others.length > 0) throw new Error(`not one row but ${rows.length}`)
  return row
}
