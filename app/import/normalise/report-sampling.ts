import { type StoredReport, unitWeight } from '../../../schema/stored-report.ts'

/** So that a weight stays within 10^12 (schema/stored-report.ts). */
const lowestRate = 1e-6

/** How many reports one stands for. `rate` is in (0, 1]; one that rounds to a weight of one report is 1. */
export function sampling(rate: number): Pick<StoredReport, 'weight' | 'sampleRate'> {
  const sampleRate = Math.max(lowestRate, rate)
  const weight = Math.round(unitWeight / sampleRate)
  return weight === unitWeight ? { weight, sampleRate: 1 } : { weight, sampleRate }
}
