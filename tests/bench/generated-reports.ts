import { dayMs } from '../../schema/durations.ts'
import { storedFieldNames, storedFieldRows } from '../../schema/stored-report.ts'
import { columnValues, sharedValues } from './generated-columns.ts'

/** Rows of an insert, at most: fewer mean more merges, more mean more than 3 GB of memory. */
export const blockRows = 2_000_000

/** One insert generates rows while the other writes. */
export const concurrentInserts = 2

/** Reports over a span of time, more by day than by night. Each round covers the whole span. */
export interface Generated {
  /** Cumulative reports at the end of each round, ascending; a round's rows are in order of receipt. */
  readonly rounds: readonly number[]
  /** Start of the span, in milliseconds since the Unix epoch. */
  readonly from: number
  readonly days: number
}

const fields = storedFieldNames.filter((field) => columnValues[field])

export const generatedColumns = fields.map((field) => storedFieldRows[field].column)

/** Rows of one insert, from `first` up to `end`, all of one round. */
export interface Block {
  readonly first: number
  readonly end: number
  readonly round: readonly [first: number, end: number]
}

/** Blocks from a row on: equal and an even number in each round, so that no insert runs alone. */
export function* blocksFrom({ rounds }: Generated, row: number): Generator<Block> {
  for (const [index, end] of rounds.entries()) {
    const start = rounds[index - 1] ?? 0
    const blocks = Math.ceil((end - start) / (blockRows * concurrentInserts)) * concurrentInserts
    const length = Math.ceil((end - start) / blocks)
    for (let first = start; first < end; first += length) {
      const block = { first: Math.max(first, row), end: Math.min(first + length, end), round: [start, end] } as const
      if (block.first < block.end) yield block
    }
  }
}

/** SELECT of a block's reports. */
export function generatedReports({ from, days }: Generated, { first, end, round }: Block): string {
  const place = `(number - ${round[0]}) * ${(days * dayMs) / (round[1] - round[0])}`
  const amplitude = Math.round((0.6 * dayMs) / (2 * Math.PI))
  const moment = `toInt64(${from} + ${place} - ${amplitude} * sin(${place} * ${(2 * Math.PI) / dayMs}))`
  const values = Object.entries({ ...sharedValues, moment }).map(([name, value]) => `${value} AS ${name}`)
  const selected = fields.map((field) => `${columnValues[field]} AS ${storedFieldRows[field].column}`)
  return `
WITH ${values.join(',\n  ')}
SELECT ${selected.join(',\n  ')}
FROM numbers(${first}, ${end - first})`
}
