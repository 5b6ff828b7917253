import { setTimeout as sleep } from 'node:timers/promises'
import { importVersionTtlMs } from '../../queries/rules/import-version.ts'

/** Timers can fire up to 1 ms early. */
const timerSlackMs = 5

/** Resolves when every import version cached before now has expired. */
export const untilVersionsExpire = (): Promise<void> => sleep(importVersionTtlMs + timerSlackMs)
