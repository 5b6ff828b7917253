import { expect, test } from 'vitest'
import { FetchFailure, toFetchFailure } from '../../../../../app/worker/fetch/fetch-failure.ts'

const withCode = (code: string) => Object.assign(new Error('text of the other side'), { code })

test.each([
  ...['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT'].map((code) => [
    code,
    'timeout',
  ]),
  ...['CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID', 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL', 'EPROTO'].map(
    (code) => [code, 'tls_failure'],
  ),
  ...['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'].map((code) => [
    code,
    'tls_failure',
  ]),
  ...['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'HPE_INVALID_CONSTANT', 'UND_ERR_HEADERS_OVERFLOW'].map(
    (code) => [code, 'connection_failed'],
  ),
  ...['UND_ERR_SOCKET', 'Z_DATA_ERROR', 'CERTIFICATE_X'].map((code) => [code, 'connection_failed']),
])('an error with code %s is %s, without its own text', (code, reason) => {
  const { reason: found, message } = toFetchFailure(withCode(code))
  expect(found).toBe(reason)
  expect(message).not.toContain('other side')
})

test('the end of a time limit is a timeout, and a failure itself', () => {
  expect(toFetchFailure(new DOMException('late', 'TimeoutError')).reason).toBe('timeout')
  const failure = new FetchFailure('not_allowed', 'Not fetched')
  expect(toFetchFailure(failure)).toBe(failure)
  expect(toFetchFailure(undefined).reason).toBe('connection_failed')
})
