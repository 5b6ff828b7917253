import type { ScriptCapture } from '../../../schema/responses/script.ts'
import { FetchFailure } from '../fetch/fetch-failure.ts'
import type { Guard } from '../fetch/guard.ts'
import type { Copies } from './copies.ts'

export interface CaptureFacts {
  readonly copies: Pick<Copies, 'sizeOf'>
  readonly guard: Pick<Guard, 'check'>
  /** True for hosts of the site, or of a script that a scan found there: a forged report cannot choose another. */
  readonly isKnownHost: (hostname: string) => boolean
  /** Remaining fetches of the site in this UTC day. */
  readonly fetchesLeft: number
}

type Verdict = Pick<ScriptCapture, 'state'> & Partial<Pick<ScriptCapture, 'reason' | 'size' | 'reused'>>

const refused = (reason: NonNullable<ScriptCapture['reason']>): Verdict => ({ state: 'refused', reason })

/** Capture of a reported script that needs no fetch; undefined if a fetch is needed. */
export async function decideCapture(
  hash: string,
  url: URL,
  { copies, guard, isKnownHost, fetchesLeft }: CaptureFacts,
): Promise<Verdict | undefined> {
  if (!hash.startsWith('sha256-')) return refused('unsupported_hash')
  const size = await copies.sizeOf(hash)
  if (size !== undefined) return { state: 'captured', size, reused: true }
  if (!isKnownHost(url.hostname)) return refused('unknown_host')
  try {
    guard.check(url)
  } catch (error) {
    if (!(error instanceof FetchFailure)) throw error
    return refused('not_allowed')
  }
  return fetchesLeft > 0 ? undefined : refused('daily_cap')
}
