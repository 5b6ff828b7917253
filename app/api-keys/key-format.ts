import { hash, randomInt } from 'node:crypto'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const opening = 'srk_live_'
const secretLength = 40
const prefixLength = 8

/** 238 bits from the system's CSPRNG. */
export function makeKey(): string {
  return opening + Array.from({ length: secretLength }, () => alphabet[randomInt(alphabet.length)]).join('')
}

export function keyPrefix(key: string): string {
  return key.slice(opening.length, opening.length + prefixLength)
}

export function hashKey(key: string): string {
  return hash('sha256', key, 'hex')
}
