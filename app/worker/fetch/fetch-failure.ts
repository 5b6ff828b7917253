import type { scanFailureReasons } from '../../../schema/enumerations.ts'
import type { Hop } from './hop.ts'

/** The last two apply only to scripts. */
export type FailureReason = (typeof scanFailureReasons)[number] | 'http_error' | 'html_response'

/** Its message is one line for people; text from the other side is limited to host names. */
export class FetchFailure extends Error {
  readonly reason: FailureReason
  /** Requests with a response. */
  hops: readonly Hop[]
  retryAt?: Date | undefined

  constructor(reason: FailureReason, message: string, hops: readonly Hop[] = []) {
    super(message)
    this.reason = reason
    this.hops = hops
  }
}

/** Codes of undici and Node. */
const timeoutCodes = /^(UND_ERR_(HEADERS|BODY|CONNECT)_TIMEOUT|ETIMEDOUT)$/

/** Codes of Node, of OpenSSL's protocol errors and of its verification (X509_verify_cert_error_string). */
const tlsCodes =
  /^(ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|INVALID_(CA|PURPOSE)$|PATH_LENGTH_|HOSTNAME_MISMATCH$)/

/** Codes that add nothing to the sentence. */
const vagueCodes = /^(|UND_ERR_SOCKET|UNKNOWN)$/

type ErrorLike = Readonly<Partial<{ name: string; code: unknown; rawPacket: Buffer; bytesParsed: number }>>

/** Start of the line that Node's parser rejects, up to its value. */
function refusedHeader({ rawPacket, bytesParsed = 0 }: ErrorLike): string {
  const read = rawPacket?.toString('latin1') ?? ''
  const line = read.slice(read.lastIndexOf('\n', bytesParsed - 1) + 1).replace(/[:\r\n].*/s, '')
  const shown = line.slice(0, 100).replace(/[^ -~]/g, '?')
  return shown === '' ? '' : `: "${shown}"`
}

export function toFetchFailure(error: unknown): FetchFailure {
  if (error instanceof FetchFailure) return error
  const { name, code = '', ...parsing } = (error ?? {}) as ErrorLike
  const text = String(code)
  if (name === 'TimeoutError' || timeoutCodes.test(text)) {
    return new FetchFailure('timeout', 'The response was not complete in time')
  }
  const suffix = vagueCodes.test(text) ? '' : ` (${text}${refusedHeader(parsing)})`
  if (tlsCodes.test(text)) return new FetchFailure('tls_failure', `The connection could not be encrypted${suffix}`)
  return new FetchFailure('connection_failed', `The connection failed, or its response was not valid HTTP${suffix}`)
}
