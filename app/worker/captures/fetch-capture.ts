import { captureRefusals } from '../../../schema/scripts.ts'
import { FetchFailure } from '../fetch/fetch-failure.ts'
import { fetchScript } from '../scans/fetch-script.ts'
import type { ScanSettings } from '../scans/scan-settings.ts'
import type { Copies } from './copies.ts'
import type { CaptureRecord } from './record-captures.ts'

type Outcome = Pick<CaptureRecord, 'state'> & Partial<CaptureRecord>

/** Keeps the bytes if they have the hash. Throws the signal's reason. */
export async function fetchCapture(
  hash: string,
  url: URL,
  { settings, copies, signal }: { settings: ScanSettings; copies: Pick<Copies, 'put'>; signal: AbortSignal },
): Promise<Outcome> {
  try {
    const script = await fetchScript(url, { ...settings, signal })
    const { finalUrl, size } = script
    if (script.hash !== hash) return { state: 'mismatched', finalUrl, receivedHash: script.hash }
    await copies.put(script)
    return { state: 'captured', finalUrl, size }
  } catch (error) {
    if (!(error instanceof FetchFailure)) throw error
    const reason = captureRefusals.find((one) => one === error.reason) ?? 'connection_failed'
    return { state: 'refused', reason, finalUrl: error.hops.at(-1)?.url.href ?? null }
  }
}
