import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../../config.ts'

/**
 * SECRETS_KEY, or the key in DATA_DIR/secrets.key. Throws an Error of one line if there is neither.
 * @param makes creates the file before the first address is encrypted; a later loss means that it was not restored.
 */
export function secretsKeys({ SECRETS_KEY, DATA_DIR, CLICKHOUSE_URL }: Config, makes = false): readonly Buffer[] {
  if (SECRETS_KEY) return SECRETS_KEY.map(toKey)
  const path = join(DATA_DIR, 'secrets.key')
  if (!existsSync(path)) {
    if (CLICKHOUSE_URL !== undefined) {
      throw new Error(
        'SECRETS_KEY is not set: give the worker and the commands the same key from "openssl rand -base64 32"',
      )
    }
    if (!makes) throw new Error(`${path} is missing: ${keyRemedy}`)
    mkdirSync(DATA_DIR, { recursive: true })
    makeKeyFile(path)
  }
  const key = toKey(readFileSync(path, 'utf8'))
  if (key.length !== 32)
    throw new Error(`${path} is not a key: restore it, or delete it and add the destinations again`)
  return [key]
}

/** For addresses that no key opens. */
export const keyRemedy =
  'copy secrets.key from the DATA_DIR where the addresses were encrypted, set the SECRETS_KEY used then, or remove the destinations and add them again'

const toKey = (text: string) => Buffer.from(text, 'base64')

function makeKeyFile(path: string): void {
  try {
    writeFileSync(path, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    // Another process created it in the meantime.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
