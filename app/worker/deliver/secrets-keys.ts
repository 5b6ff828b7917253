import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config.ts'

/**
 * SECRETS_KEY, or the key in DATA_DIR/secrets.key, which is made at its first use. Throws an Error of one line where the
 * database is another machine's and there is neither: a file would be of this machine alone.
 */
export function secretsKeys({ SECRETS_KEY, DATA_DIR, CLICKHOUSE_URL }: Config): readonly Buffer[] {
  if (SECRETS_KEY) return SECRETS_KEY.map(toKey)
  const path = join(DATA_DIR, 'secrets.key')
  if (!existsSync(path)) {
    if (CLICKHOUSE_URL !== undefined) {
      throw new Error('SECRETS_KEY is not set: give the worker and the commands one key of "openssl rand -base64 32"')
    }
    mkdirSync(DATA_DIR, { recursive: true })
    makeKeyFile(path)
  }
  const key = toKey(readFileSync(path, 'utf8'))
  if (key.length !== 32) throw new Error(`${path} is no key: restore it, or delete it and add the destinations again`)
  return [key]
}

const toKey = (text: string) => Buffer.from(text, 'base64')

function makeKeyFile(path: string): void {
  try {
    writeFileSync(path, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    // Another process has made it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
