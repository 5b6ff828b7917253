import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { hashKey, keyPrefix, makeKey } from '../../../../app/api-keys/key-format.ts'
import { keyPattern } from '../../../../schema/key-pattern.ts'

describe('a key', () => {
  const keys = Array.from({ length: 2_000 }, makeKey)

  test('a key is srk_live_ and 40 base62 characters, its prefix the first 8 of them', () => {
    for (const key of keys) {
      expect(key).toMatch(keyPattern)
      expect(keyPrefix(key)).toBe(key.slice(9, 17))
    }
  })

  test('a key is never generated twice', () => {
    expect(new Set(keys).size).toBe(keys.length)
  })

  test('characters of keys are equally frequent', () => {
    const counts = new Map<string, number>()
    for (const key of keys) for (const letter of key.slice(9)) counts.set(letter, (counts.get(letter) ?? 0) + 1)
    const expected = (keys.length * 40) / 62
    expect(counts.size).toBe(62)
    // Taking bytes modulo 62 would give the first 8 characters a quarter more; chance gives 15 % once in 10^7 runs.
    for (const count of counts.values()) expect(Math.abs(count - expected)).toBeLessThan(expected * 0.18)
  })

  test('a key is stored as the SHA-256 of the whole key', () => {
    const key = makeKey()
    expect(hashKey(key)).toBe(createHash('sha256').update(key).digest('hex'))
  })

  test('a text of any other form is no key', () => {
    const letters = 'a'.repeat(40)
    for (const other of [
      letters,
      `srk_test_${letters}`,
      `srk_live_${letters}a`,
      `srk_live_${letters}\n`,
      `srk_live_${'-'.repeat(40)}`,
    ]) {
      expect(other).not.toMatch(keyPattern)
    }
  })
})
