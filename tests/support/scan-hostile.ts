/** @module Scans URLs one after another, in a process of its own, and prints what each scan cost. */

import { readFileSync, writeFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { scanUrl } from './page-scan.ts'

/** Of a scan, as its test judges. */
const maxMegabytes = 64

const [warmUp = '', ...urls] = process.argv.slice(2)

export interface ScanCost {
  readonly failureReason: string | null
  readonly scripts: number | null
  readonly seconds: number
  /** Growth of the process. */
  readonly megabytes: number
  /** Longest time that nothing else of the process ran. */
  readonly blockedMs: number
}

const statusOf = (name: string) =>
  Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024

for (let at = 0; at < 3; at++) await scanUrl(warmUp)

async function scan(url: string): Promise<ScanCost> {
  globalThis.gc?.()
  // Makes the peak what the process has now.
  writeFileSync('/proc/self/clear_refs', '5')
  const before = statusOf('VmRSS')
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  const start = performance.now()
  // Another program can have the processor.
  const { failureReason, scripts } = await scanUrl(url, { limits: { parseMs: 60_000 } })
  return {
    failureReason,
    scripts: scripts?.length ?? null,
    seconds: (performance.now() - start) / 1000,
    megabytes: statusOf('VmHWM') - before,
    blockedMs: delay.max / 1e6,
  }
}

for (const url of urls) {
  // The least growth of three, as on a busy machine garbage waits to be collected.
  const costs: ScanCost[] = []
  while (costs.length < 3 && (costs.at(-1)?.megabytes ?? Number.POSITIVE_INFINITY) > maxMegabytes) {
    costs.push(await scan(url))
  }
  const [least] = costs.sort((a, b) => a.megabytes - b.megabytes)
  process.stdout.write(`${JSON.stringify(least)}\n`)
}
