import type { Client } from 'undici'
import type { Guard } from './guard.ts'

/**
 * Options of a client for one URL. All addresses are tried, each for 2 s: Node's 250 ms are too short for distant
 * servers.
 */
export const connectOptions = (guard: Guard, url: URL, timeoutMs: number) =>
  ({
    lookup: guard.lookup(url),
    timeout: timeoutMs,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: 2_000,
  }) satisfies Client.Options['connect']
