import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../../../../../app/config.ts'
import { openDestination, sealDestination } from '../../../../../../app/worker/alerts/deliver/destination.ts'
import { open, seal } from '../../../../../../app/worker/alerts/deliver/seal.ts'
import { secretsKeys } from '../../../../../../app/worker/alerts/deliver/secrets-keys.ts'

const [key, other] = [randomBytes(32), randomBytes(32)]
const owner = { tenantId: randomUUID(), destinationId: 'dest-1' }
const secret = 'https://hooks.example.com/T024/é'

describe('a sealed text', () => {
  const sealed = seal(secret, [key, other], owner)

  test('opens with its key, and after a rotation with the older one', () => {
    expect(open(sealed, [key], owner)).toBe(secret)
    expect(open(sealed, [other, key], owner)).toBe(secret)
  })

  test('differs each time, and does not have the text', () => {
    expect(seal(secret, [key], owner)).not.toBe(sealed)
    expect(Buffer.from(sealed, 'base64').toString('latin1')).not.toContain('hooks')
  })

  test('opens neither with another key nor in the row of another tenant or destination', () => {
    expect(open(sealed, [other], owner)).toBe(undefined)
    expect(open(sealed, [key], { ...owner, tenantId: randomUUID() })).toBe(undefined)
    expect(open(sealed, [key], { ...owner, destinationId: 'dest-2' })).toBe(undefined)
  })

  test('does not open where a byte was changed, or is missing', () => {
    const bytes = Buffer.from(sealed, 'base64')
    for (const [at, byte] of bytes.entries()) {
      const changed = Buffer.from(bytes)
      changed.writeUInt8(byte ^ 1, at)
      expect(open(changed.toString('base64'), [key], owner), `byte ${at}`).toBe(undefined)
      expect(open(bytes.subarray(0, at).toString('base64'), [key], owner), `${at} bytes`).toBe(undefined)
    }
  })
})

test('a webhook has a signing secret, which is sealed with its address; mail has none', () => {
  const given = { tenantId: owner.tenantId, id: 'dest-1', name: 'On-call', type: 'webhook', address: secret } as const
  const { row, secret: signing } = sealDestination(given, [key])
  expect(signing).toMatch(/^whsec_[\w+/]{43}=$/)
  expect(JSON.stringify(row)).not.toContain('hooks')
  const stored = { ...given, sealed: row.sealed, createdAt: '' }
  expect(openDestination(stored, [key])).toEqual({ ...given, secret: signing })
  expect(() => openDestination(stored, [other])).toThrow('SECRETS_KEY cannot decrypt')
  expect(sealDestination({ ...given, type: 'email' }, [key]).secret).toBe('')
})

describe('keys', () => {
  const dataDir = () => mkdtempSync(join(tmpdir(), 'secrets-'))

  test('are those of SECRETS_KEY, the first first', () => {
    const config = readConfig({ SECRETS_KEY: `${key.toString('base64')},${other.toString('base64')}` })
    expect(secretsKeys(config)).toEqual([key, other])
  })

  test('are else made once in DATA_DIR, for this user alone', () => {
    const config = readConfig({ DATA_DIR: dataDir() })
    expect(() => secretsKeys(config)).toThrow(/secrets\.key is missing: copy secrets\.key from/)
    const [made] = secretsKeys(config, true)
    expect(made).toHaveLength(32)
    expect(secretsKeys(config)).toEqual([made])
    const path = join(config.DATA_DIR, 'secrets.key')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(Buffer.from(readFileSync(path, 'utf8'), 'base64')).toEqual(made)
  })

  test('are not made on a machine of several, nor read from a file that is cut', () => {
    const CLICKHOUSE_URL = 'http://writer:secret@clickhouse:8123/default'
    expect(() => secretsKeys(readConfig({ CLICKHOUSE_URL, DATA_DIR: dataDir() }), true)).toThrow(
      'SECRETS_KEY is not set',
    )
    const cut = readConfig({ DATA_DIR: dataDir() })
    writeFileSync(join(cut.DATA_DIR, 'secrets.key'), 'abc')
    expect(() => secretsKeys(cut)).toThrow('is not a key')
  })
})
