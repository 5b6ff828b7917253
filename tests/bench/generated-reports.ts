import { dayMs } from '../../schema/durations.ts'
import { storedFieldNames, storedFieldRows } from '../../schema/stored-report.ts'
import { columnValues, sharedValues } from './generated-columns.ts'

/** Most rows of one insert; more of them are merged less often and take more memory, 3 GB here. */
export const blockRows = 2_000_000

/** Inserts under way together: one generates its rows while another writes them. */
export const insertsAtOnce = 2

/** Reports received over a span of time, in rounds over all of it, more of them by day than by night. */
export interface Generated {
  /** How many reports there are at the end of each round, ascending. In a round they are in the order of their receipt. */
  readonly rounds: readonly number[]
  /** The first moment, in milliseconds since the Unix epoch. */
  readonly from: number
  readonly days: number
}

const fields = storedFieldNames.filter((field) => columnValues[field])

/** The generated columns of the table, in its order. */
export const generatedColumns = fields.map((field) => storedFieldRows[field].column)

/** Reports that are stored in one statement: rows from `first` up to `end`, of one round. */
export interface Block {
  readonly first: number
  readonly end: number
  /** The rows of the round. */
  readonly round: readonly [first: number, end: number]
}

/** The blocks of all rows from one on: of a round they are equally long and as many that none is left to run alone. */
export function* blocksFrom({ rounds }: Generated, row: number): Generator<Block> {
  for (const [index, end] of rounds.entries()) {
    const start = rounds[index - 1] ?? 0
    const blocks = Math.ceil((end - start) / (blockRows * insertsAtOnce)) * insertsAtOnce
    const length = Math.ceil((end - start) / blocks)
    for (let first = start; first < end; first += length) {
      const block = { first: Math.max(first, row), end: Math.min(first + length, end), round: [start, end] } as const
      if (block.first < block.end) yield block
    }
  }
}

/** `WITH … SELECT …` of a block's reports, in the order of their receipt. */
export function generatedReports({ from, days }: Generated, { first, end, round }: Block): string {
  const place = `(number - ${round[0]}) * ${(days * dayMs) / (round[1] - round[0])}`
  const moment = `toInt64(${from} + ${place} - ${Math.round((0.6 * dayMs) / (2 * Math.PI))} * sin(${place} * ${(2 * Math.PI) / dayMs}))`
  const values = Object.entries({ ...sharedValues, moment }).map(([name, value]) => `${value} AS ${name}`)
  const selected = fields.map((field) => `${columnValues[field]} AS ${storedFieldRows[field].column}`)
  return `WITH ${values.join(', ')} SELECT ${selected.join(', ')} FROM numbers(${first}, ${end - first})`
}
