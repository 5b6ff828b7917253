import { Client } from 'undici'
import { connectOptions } from '../../fetch/connect-options.ts'
import { toFetchFailure } from '../../fetch/fetch-failure.ts'
import { retryTime } from '../../fetch/retry-time.ts'
import { failed, type Outgoing, type SendResult, type SendSettings, sent } from './sender.ts'

interface Post extends SendSettings {
  readonly address: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  /** Statuses that another attempt does not change. */
  readonly finalStatuses: readonly number[]
  /** The body of a failure is one word, such as `no_service`. */
  readonly hasErrorWord?: boolean
}

/** Without the host, which is part of the address. */
const notAllowed = 'The address or port is not public; OUTBOUND_ALLOWED can allow host and port'

/** The word, or nothing: other text of a receiver can have its address. */
async function errorWord(body: AsyncIterable<Buffer>): Promise<string> {
  for await (const chunk of body) {
    const text = chunk.toString('utf8').trim()
    return /^[a-z]+(_[a-z]+){0,5}$/.test(text) && text.length <= 60 ? `: ${text}` : ''
  }
  return ''
}

/** Posts on a separate connection. A redirect is a failure: it could lead anywhere. */
export async function postJson(post: Post, { at }: Pick<Outgoing, 'at'>): Promise<SendResult> {
  const { guard, timeoutMs, address, body, headers, finalStatuses, hasErrorWord = false } = post
  const url = new URL(address)
  let client: Client | undefined
  try {
    guard.check(url)
    client = new Client(url.origin, {
      connect: connectOptions(guard, url, timeoutMs),
      allowH2: false,
    })
    const response = await client.request({
      path: url.pathname + url.search,
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'SecurityReporting-Alerts/1', ...headers },
      body,
      signal: AbortSignal.timeout(timeoutMs),
    })
    response.body.on('error', () => {})
    const { statusCode } = response
    if (statusCode >= 200 && statusCode < 300) return sent
    const word = hasErrorWord ? await errorWord(response.body) : ''
    return {
      isSent: false,
      failure: `The receiver responded ${statusCode}${word}${statusCode >= 300 && statusCode < 400 ? ', a redirect, which is not followed' : ''}`,
      isFinal: finalStatuses.includes(statusCode),
      retryAt: retryTime(String(response.headers['retry-after'] ?? ''), at),
    }
  } catch (error) {
    const failure = toFetchFailure(error)
    return failed(failure.reason === 'not_allowed' ? { message: notAllowed } : failure)
  } finally {
    await client?.destroy()
  }
}
