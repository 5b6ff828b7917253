import { type ScanRecord, scanPage } from '../../app/worker/scans/scan-page.ts'
import { type ScanLimits, scanLimits } from '../../app/worker/scans/scan-settings.ts'
import { type TestGuardOptions, testGuard } from './test-guard.ts'

export interface ScanTestOptions extends TestGuardOptions {
  readonly limits?: Partial<ScanLimits>
  readonly listsScripts?: boolean
  readonly signal?: AbortSignal
}

export function scanUrl(scanUrl: string, options: ScanTestOptions = {}): Promise<ScanRecord> {
  return scanPage(
    { id: crypto.randomUUID(), scanUrl, listsScripts: options.listsScripts ?? true },
    {
      scanId: crypto.randomUUID(),
      settings: { guard: testGuard(options), userAgent: 'test', limits: { ...scanLimits, ...options.limits } },
      signal: options.signal ?? new AbortController().signal,
    },
  )
}
