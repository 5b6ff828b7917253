import { setTimeout as sleep } from 'node:timers/promises'
import { importVersionTtlMs } from '../../schema/durations.ts'

/** Timers can fire up to 1 ms early. */
const timerSlackMs = 5

export const untilVersionsExpire = (signal?: AbortSignal): Promise<void> =>
  sleep(importVersionTtlMs + timerSlackMs, undefined, { ...(signal && { signal }) })
