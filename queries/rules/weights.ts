import { unitWeight } from '../../schema/stored-report.ts'

/** `weight` is a sum of millionths, which can exceed 2^53. */
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

/** Rule 31. */
export function estimate({ weight }: Pick<Tally, 'weight'>): number {
  return Number((weight + unit / 2n) / unit)
}

/** Only a sample rate below 1 lets the weight exceed the count. */
export function isSampled(tally: Tally): boolean {
  return tally.weight > BigInt(tally.reportCount) * unit
}
