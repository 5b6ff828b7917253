import type { Context } from 'hono'
import { ClientDisconnected } from '../../queries/clickhouse/with-timeout.ts'
import type { ApiEnv } from '../pipeline/request-context.ts'
import { type ByteQuota, createByteQuota } from './byte-quota.ts'
import { overloaded } from './collector-error.ts'
import { maxBodyBytes, tooLarge } from './read-body.ts'

/** Limit over all posts: slow senders cannot fill the memory. */
export const maxBodyBytesInFlight = 64 * 1024 * 1024

/** Limit over all posts whose token is not looked up yet: guesses cannot use the memory of known sites. */
export const maxUnknownBytes = 4 * 1024 * 1024
const nobody = ''

export interface BodyQuotas {
  readonly unknown: ByteQuota
  readonly sites: ByteQuota
}

export const createBodyQuotas = (bytesInFlight = maxBodyBytesInFlight, unknownBytes = maxUnknownBytes): BodyQuotas => ({
  unknown: createByteQuota(unknownBytes, 1),
  sites: createByteQuota(bytesInFlight),
})

/**
 * Reads a body while its site is looked up, because Node discards unread data when a sender disconnects. Its bytes are
 * counted until `read` ends. Rejects at once if `siteId` does, with CollectorError(413 or 503), and with
 * ClientDisconnected if the sender disconnects before the end of the body.
 */
export async function receiveBody<Result>(
  c: Context<ApiEnv>,
  siteId: Promise<string>,
  { unknown, sites }: BodyQuotas,
  read: (body: Buffer) => Promise<Result>,
): Promise<Result> {
  const chunks: Uint8Array[] = []
  let received = 0
  let hasEnded = false
  let [quota, owner] = [unknown, nobody]

  const known = siteId.then((id) => {
    if (hasEnded) return
    if (sites.isFull(id)) throw overloaded()
    quota.release(owner, received)
    ;[quota, owner] = [sites, id]
    quota.add(owner, received)
  })

  async function receive(): Promise<void> {
    for await (const chunk of chunksOf(c)) {
      if (received + chunk.length > maxBodyBytes) throw tooLarge()
      if (quota === unknown && quota.isFull(owner)) await known
      if (hasEnded) return
      if (quota.isFull(owner)) throw overloaded()
      quota.add(owner, chunk.length)
      received += chunk.length
      chunks.push(chunk)
    }
  }

  try {
    await Promise.all([known, receive()])
    return await read(Buffer.concat(chunks))
  } finally {
    hasEnded = true
    quota.release(owner, received)
  }
}

/**
 * Uses Node's stream, because a web stream costs 0.1 ms more per body. It is not destroyed, so that its sender gets a
 * response.
 */
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
