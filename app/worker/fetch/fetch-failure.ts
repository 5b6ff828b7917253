import type { scanFailureReasons } from '../../../schema/enumerations.ts'
import type { Hop } from './hop.ts'

/** The last two are of scripts alone. */
export type FailureReason = (typeof scanFailureReasons)[number] | 'http_error' | 'html_response'

/** Its message is one line for people, of what the other side wrote with host names alone. */
export class FetchFailure extends Error {
  readonly reason: FailureReason
  /** Requests that had a response. */
  hops: readonly Hop[]

  constructor(reason: FailureReason, message: string, hops: readonly Hop[] = []) {
    super(message)
    this.reason = reason
    this.hops = hops
  }
}

/** Of undici and Node. */
const timeoutCodes = /^(UND_ERR_(HEADERS|BODY|CONNECT)_TIMEOUT|ETIMEDOUT)$/

/** Of Node, of OpenSSL's protocol errors and of its verification (X509_verify_cert_error_string). */
const tlsCodes =
  /^(ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|INVALID_(CA|PURPOSE)$|PATH_LENGTH_|HOSTNAME_MISMATCH$)/

/** Codes that add nothing to the sentence. */
const vagueCodes = /^(|UND_ERR_SOCKET|UNKNOWN)$/

export function toFetchFailure(error: unknown): FetchFailure {
  if (error instanceof FetchFailure) return error
  const { name, code = '' } = (error ?? {}) as { readonly name?: string; readonly code?: unknown }
  const text = String(code)
  if (name === 'TimeoutError' || timeoutCodes.test(text)) {
    return new FetchFailure('timeout', 'The response was not complete in time')
  }
  const suffix = vagueCodes.test(text) ? '' : ` (${text})`
  if (tlsCodes.test(text)) return new FetchFailure('tls_failure', `The connection could not be encrypted${suffix}`)
  return new FetchFailure('connection_failed', `The connection failed, or its response was no valid HTTP${suffix}`)
}
