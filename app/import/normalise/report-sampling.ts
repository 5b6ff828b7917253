import { type StoredReport, unitWeight } from '../../../schema/stored-report.ts'

/** Bounds weights to 10^12 (schema/stored-report.ts). */
const lowestRate = 1e-6

/** @param rate (0, 1]; a rate that rounds to a weight of one report counts as 1. */
export function sampling(rate: number): Pick<StoredReport, 'weight' | 'sampleRate'> {
  const sampleRate = Math.max(lowestRate, rate)
  const weight = Math.round(unitWeight / sampleRate)
  return weight === unitWeight ? { weight, sampleRate: 1 } : { weight, sampleRate }
}
