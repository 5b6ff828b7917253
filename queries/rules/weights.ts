import { unitWeight } from '../../schema/stored-report.ts'

/** Counted reports and the sum of their weights in millionths, which can pass 2^53. */
export interface Tally {
  readonly reportCount: number
  readonly weight: bigint
}

const unit = BigInt(unitWeight)

export function addTallies(tallies: readonly Tally[]): Tally {
  return tallies.reduce(
    (sum, tally) => ({ reportCount: sum.reportCount + tally.reportCount, weight: sum.weight + tally.weight }),
    { reportCount: 0, weight: 0n },
  )
}

/** The estimate a tally stands for, rounded half up once, at the end (decisions, Reports). */
export function estimate(tally: Tally): number {
  return Number((tally.weight + unit / 2n) / unit)
}

/** Whether any counted report has a sample rate below 1: only then does the weight pass the count. */
export function isSampled(tally: Tally): boolean {
  return tally.weight > BigInt(tally.reportCount) * unit
}
