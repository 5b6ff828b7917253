import { setTimeout as sleep } from 'node:timers/promises'
import { lookMilliseconds } from '../queries/rules/import-mark.ts'

/** A timer may run out a little early. */
const timerMilliseconds = 5

/** Returns when no answer from before what the ledger of imports now says is given any more. */
export function untilSeen(): Promise<void> {
  return sleep(lookMilliseconds + timerMilliseconds)
}
