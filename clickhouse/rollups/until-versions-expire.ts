import { setTimeout as sleep } from 'node:timers/promises'
import { importVersionTtlMs } from '../../queries/rules/import-version.ts'

/** A timer may run out a little early. */
const timerMilliseconds = 5

/** Resolves once no look at the ledger from before now is still in use. */
export function untilVersionsExpire(): Promise<void> {
  return sleep(importVersionTtlMs + timerMilliseconds)
}
