import type { Logger } from 'pino'
import { listCaptureAttempts } from '../../../queries/scripts/captures.ts'
import { scriptUrl } from '../../../schema/rules/scripts/script-url.ts'
import { reasonOf } from '../../program/log-outage.ts'
import type { FetchedScript } from '../scans/fetch-script.ts'
import type { Copies } from './copies.ts'
import { type CaptureRecord, type CaptureTarget, recordCaptures } from './record-captures.ts'

export interface ScanCaptureOptions extends CaptureTarget {
  readonly copies: Pick<Copies, 'put'>
  readonly tenantId: string
  readonly siteId: string
  readonly log: Logger
}

/** Copies of the scripts of one scan, whose bytes are at hand. A copy that fails is logged, and does not fail the scan. */
export function createScanCapture({ copies, tenantId, siteId, log, ...target }: ScanCaptureOptions) {
  const records = new Map<string, CaptureRecord>()

  async function logged(task: () => Promise<void>): Promise<void> {
    try {
      await task()
    } catch (error) {
      log.error({ tenantId, siteId, reason: reasonOf(error) }, 'Failed to store script copies')
    }
  }

  return {
    keep: (script: FetchedScript): Promise<void> =>
      logged(async () => {
        const { hash, size, finalUrl, url: fetchedUrl } = script
        const [url, reused] = [scriptUrl(fetchedUrl), !(await copies.put(script))]
        const seen = { siteId, url, hash, source: 'scan', fetchedUrl, finalUrl, size } as const
        records.set(`${url} ${hash}`, { ...seen, state: 'captured', reused })
      }),

    /** Records scripts without an attempt. */
    record: (): Promise<void> =>
      logged(async () => {
        if (records.size === 0) return
        const urls = [...records.values()].map(({ url }) => url)
        const attempts = await target.database.read(listCaptureAttempts(tenantId, siteId, urls))
        for (const { url, hash } of attempts) records.delete(`${url} ${hash}`)
        await recordCaptures(target, tenantId, [...records.values()])
      }),
  }
}
