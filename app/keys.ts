import { hash, randomBytes } from 'node:crypto'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const opening = 'srk_live_'
const secretLength = 40
const prefixLength = 8

/** What a key looks like (decisions, Keys and access). */
export const keyPattern = /^srk_live_[0-9A-Za-z]{40}$/

/** A new key. `key` is shown once and kept nowhere; `prefix` and `hash` are what is stored. */
export interface NewKey {
  readonly key: string
  readonly prefix: string
  readonly hash: string
}

/** Makes a key of 238 bits from the system's CSPRNG. */
export function makeKey(): NewKey {
  const secret = randomLetters(secretLength)
  const key = opening + secret
  return { key, prefix: keyPrefix(key), hash: hashKey(key) }
}

/** The 8 characters that name a key to people, and that /v1/me shows. */
export function keyPrefix(key: string): string {
  return key.slice(opening.length, opening.length + prefixLength)
}

/** Lower-case hexadecimal SHA-256 of the whole key. */
export function hashKey(key: string): string {
  return hash('sha256', key, 'hex')
}

function randomLetters(length: number): string {
  const unbiased = 256 - (256 % alphabet.length)
  let letters = ''
  while (letters.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < unbiased && letters.length < length) letters += alphabet[byte % alphabet.length]
    }
  }
  return letters
}
