import { PassThrough, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Problem } from '../../schema/problems.ts'
import type { RunLimited } from './concurrency-limiter.ts'
import { withoutExceptionTrailer } from './exception-trailer.ts'
import { ClientDisconnected } from './with-timeout.ts'

/** A response of ClickHouse as it arrives. */
export interface OpenedResponse {
  readonly body: Readable
  /** X-ClickHouse-Exception-Tag, which begins an exception after the rows. */
  readonly tag: string | undefined
}

const retryAfterSeconds = 30

/**
 * The bytes of a response, which holds its slot in the pool until the stream is closed, and fails if ClickHouse does.
 * @param waitMs for a slot in the pool.
 */
export function openExport(
  run: RunLimited,
  tenantId: string | undefined,
  waitMs: number,
  open: () => Promise<OpenedResponse>,
  disconnected?: AbortSignal,
): Promise<Readable> {
  return new Promise((resolve, reject) => {
    let isWaiting = true
    const giveUp = (error: Error) => {
      isWaiting = false
      reject(error)
    }
    const busy = 'Other exports are running; at most one per tenant and two in all can run at a time'
    const timer = setTimeout(() => giveUp(new Problem('upstream_unavailable', busy, { retryAfterSeconds })), waitMs)
    disconnected?.addEventListener('abort', () => giveUp(new ClientDisconnected()))
    run(tenantId, async () => {
      clearTimeout(timer)
      if (!isWaiting) return
      const { body, tag } = await open()
      const bytes = new PassThrough()
      const sending = pipeline(body, (source) => withoutExceptionTrailer(source, tag), bytes)
      resolve(bytes)
      // Its reader gets the error.
      await sending.catch(() => undefined)
    }).catch(reject)
  })
}
