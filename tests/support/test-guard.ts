import { createGuard, type Guard, type Resolve } from '../../app/worker/fetch/guard.ts'
import { outboundHost } from '../../app/worker/fetch/outbound-hosts.ts'

export interface TestGuardOptions {
  /** OUTBOUND_ALLOWED; every port of this machine by default. */
  readonly allowed?: readonly string[]
  readonly resolve?: Resolve
}

export const testGuard = ({ allowed = ['127.0.0.1:*', 'localhost:*'], resolve }: TestGuardOptions = {}): Guard =>
  createGuard(
    allowed.map((text) => outboundHost.parse(text)),
    resolve,
  )
