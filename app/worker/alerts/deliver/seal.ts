/** @module Encryption of addresses and signing secrets in ClickHouse, because people read every table. */

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/** Authenticated with the text, so that a row copied to another tenant does not open. */
export interface SealedFor {
  readonly tenantId: string
  readonly destinationId: string
}

const algorithm = 'aes-256-gcm'
const [ivBytes, tagBytes] = [12, 16]

const authenticated = ({ tenantId, destinationId }: SealedFor) => Buffer.from(`${tenantId}\n${destinationId}`)

/** @param keys of 32 bytes, of which the first seals. */
export function seal(text: string, [key]: readonly Buffer[], owner: SealedFor): string {
  if (!key) throw new Error('There is no encryption key')
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv(algorithm, key, iv).setAAD(authenticated(owner))
  const bytes = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), bytes]).toString('base64')
}

/** Undefined if no key decrypts it. */
export function open(sealed: string, keys: readonly Buffer[], owner: SealedFor): string | undefined {
  const bytes = Buffer.from(sealed, 'base64')
  const [iv, tag] = [bytes.subarray(0, ivBytes), bytes.subarray(ivBytes, ivBytes + tagBytes)]
  if (tag.length < tagBytes) return undefined
  for (const key of keys) {
    const decipher = createDecipheriv(algorithm, key, iv).setAAD(authenticated(owner)).setAuthTag(tag)
    const text = decipher.update(bytes.subarray(ivBytes + tagBytes))
    try {
      return Buffer.concat([text, decipher.final()]).toString('utf8')
    } catch {
      // Encrypted with another key, or for another row.
    }
  }
  return undefined
}
