import { seeded } from '../../fixtures/seeded.ts'
import { dayMs } from '../../schema/durations.ts'
import type { BenchState } from './bench-data.ts'

/** Path of a request whose window is moved back. */
export type MovedPath = (milliseconds: number) => string

export function drawPaths({ from, days }: BenchState): MovedPath[] {
  const random = seeded(1)
  const requests = [
    [7, 'histogram?bucketSize=1h'],
    [31, 'grouped?groupBy=directive'],
    [31, 'histogram?bucketSize=1h&directive=img-src'],
    [7, 'grouped?groupBy=browserName,osName'],
  ] as const
  return Array.from({ length: 200 }, (_, index) => {
    const [length, request] = requests[index % requests.length] as (typeof requests)[number]
    const to = from + days * dayMs - random.between(1, 2 * dayMs)
    return (milliseconds) => {
      const times = [to - length * dayMs, to].map((time) => new Date(time - milliseconds).toISOString())
      return `/v1/reports/${request}&from=${times[0]}&to=${times[1]}`
    }
  })
}
