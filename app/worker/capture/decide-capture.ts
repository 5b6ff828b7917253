import type { ScriptCapture } from '../../../schema/responses/script.ts'
import { FetchFailure } from '../fetch/fetch-failure.ts'
import type { Guard } from '../fetch/guard.ts'
import type { Copies } from './copies.ts'

export interface CaptureFacts {
  readonly copies: Pick<Copies, 'sizeOf'>
  readonly guard: Pick<Guard, 'check'>
  /** Of the site, or of a script that a scan of it found: a forged report chooses no other. */
  readonly isKnownHost: (hostname: string) => boolean
  /** Of the site in this UTC day. */
  readonly fetchesLeft: number
}

type Verdict = Pick<ScriptCapture, 'state'> & Partial<Pick<ScriptCapture, 'reason' | 'size' | 'reused'>>

const refused = (reason: NonNullable<ScriptCapture['reason']>): Verdict => ({ state: 'refused', reason })

/** What is known of a reported script without a fetch; undefined where it has to be fetched. */
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
