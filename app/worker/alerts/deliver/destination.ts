/**
 * @module Alert destinations: rows of alert_destinations, whose addresses only the worker and the adding command
 * decrypt.
 */

import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { StoredDestination } from '../../../../queries/alerts/rules.ts'
import { toClickHouseTime } from '../../../../queries/sql/sql.ts'
import type { DestinationType } from '../../../../schema/alert-destination.ts'
import { open, seal } from './seal.ts'
import { keyRemedy } from './secrets-keys.ts'

const address = z.object({ address: z.string(), secret: z.string() })

export interface Destination extends Pick<StoredDestination, 'tenantId' | 'id' | 'name' | 'type'> {
  readonly address: string
  /** Signing secret of a webhook, `whsec_` and base64; '' for other types. */
  readonly secret: string
}

interface NewDestination extends Omit<Destination, 'secret'> {
  readonly type: DestinationType
}

/** The row to store, and the signing secret, which is shown once. */
export function sealDestination({ tenantId, id, name, type, address }: NewDestination, keys: readonly Buffer[]) {
  const secret = type === 'webhook' ? `whsec_${randomBytes(32).toString('base64')}` : ''
  const sealed = seal(JSON.stringify({ address, secret }), keys, { tenantId, destinationId: id })
  const row = { tenant_id: tenantId, id, name, type, sealed, created_at: toClickHouseTime(new Date()) }
  return { row, secret }
}

export const doesOpen = ({ tenantId, id, sealed }: StoredDestination, keys: readonly Buffer[]): boolean =>
  open(sealed, keys, { tenantId, destinationId: id }) !== undefined

/** Throws an Error of one line without any address. */
export function openDestination(stored: StoredDestination, keys: readonly Buffer[]): Destination {
  const { tenantId, id, name, type, sealed } = stored
  const opened = open(sealed, keys, { tenantId, destinationId: id })
  if (opened === undefined) {
    throw new Error(`SECRETS_KEY cannot decrypt the address: ${keyRemedy}`)
  }
  return { tenantId, id, name, type, ...address.parse(JSON.parse(opened)) }
}
