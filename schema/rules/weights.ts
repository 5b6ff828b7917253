import { unitWeight } from '../stored-report.ts'

/** `weight` is a sum of millionths, which can exceed 2^53. */
export interface Tally {
  readonly reportCount: number
  readonly weight: bigint
}

const unit = BigInt(unitWeight)

export function addTallies(tallies: readonly Tally[]): Tally {
  const sum = { reportCount: 0, weight: 0n }
  for (const { reportCount, weight } of tallies) {
    sum.reportCount += reportCount
    sum.weight += weight
  }
  return sum
}

/** Rule 31. */
export function estimate({ weight }: Pick<Tally, 'weight'>): number {
  return Number((weight + unit / 2n) / unit)
}

/** Only a sample rate below 1 lets the weight exceed the count. */
export function isSampled(tally: Tally): boolean {
  return tally.weight > BigInt(tally.reportCount) * unit
}
