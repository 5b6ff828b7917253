import { hash, randomInt } from 'node:crypto'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const opening = 'srk_live_'
const secretLength = 40
const prefixLength = 8

/** What a key looks like (decisions, Keys and access). */
export const keyPattern = /^srk_live_[0-9A-Za-z]{40}$/

/** Makes a key of 238 bits from the system's CSPRNG. It is shown once and kept nowhere: `insertKey` stores its hash. */
export function makeKey(): string {
  return opening + Array.from({ length: secretLength }, () => alphabet[randomInt(alphabet.length)]).join('')
}

/** The 8 characters that name a key to people, and that /v1/me shows. */
export function keyPrefix(key: string): string {
  return key.slice(opening.length, opening.length + prefixLength)
}

/** Lower-case hexadecimal SHA-256 of the whole key. */
export function hashKey(key: string): string {
  return hash('sha256', key, 'hex')
}
