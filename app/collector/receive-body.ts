import type { Context } from 'hono'
import { ClientDisconnected } from '../../queries/clickhouse/with-timeout.ts'
import type { ApiEnv } from '../pipeline/request-context.ts'
import type { ByteQuota } from './byte-quota.ts'
import { overloaded } from './collector-error.ts'
import { maxBodyBytes, tooLarge } from './read-body.ts'

/** Of all posts: slow senders cannot fill the memory. */
export const maxBodyBytesInFlight = 64 * 1024 * 1024

/**
 * Reads a body as it arrives, its bytes counted until `read` ends. Throws CollectorError(413 or 503), and
 * ClientDisconnected where the sender hangs up.
 */
export async function receiveBody<Result>(
  c: Context<ApiEnv>,
  siteId: string,
  quota: ByteQuota,
  read: (body: Buffer) => Promise<Result>,
): Promise<Result> {
  const chunks: Uint8Array[] = []
  let received = 0
  try {
    for await (const chunk of chunksOf(c)) {
      if (received + chunk.length > maxBodyBytes) throw tooLarge()
      if (quota.isFull(siteId)) throw overloaded()
      quota.add(siteId, chunk.length)
      received += chunk.length
      chunks.push(chunk)
    }
    return await read(Buffer.concat(chunks))
  } finally {
    quota.release(siteId, received)
  }
}

/** Node's own stream: as a web stream a body costs 0.1 ms more. It is not destroyed, so that its sender gets a response. */
async function* chunksOf(c: Context<ApiEnv>): AsyncGenerator<Uint8Array> {
  const incoming = c.env?.incoming
  if (!incoming) {
    yield* c.req.raw.body ?? []
    return
  }
  try {
    yield* incoming.iterator({ destroyOnReturn: false })
  } catch {
    throw new ClientDisconnected()
  }
}
