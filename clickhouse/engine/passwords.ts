/** @module Passwords of the users of clickhouse/server/users.xml, one file each in DATA_DIR. */

import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type User = 'reader' | 'analyst' | 'writer'

export type Passwords = Readonly<Record<User, string>>

export const ofEachUser = <Value>(make: (user: User) => Value): Readonly<Record<User, Value>> => ({
  reader: make('reader'),
  analyst: make('analyst'),
  writer: make('writer'),
})

const passwordBytes = 24
/** 24 bytes in base64url. */
const passwordLength = 32

export function passwordPath(dataDir: string, user: User): string {
  return join(dataDir, `${user}.password`)
}

export function readPassword(dataDir: string, user: User): string {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const path = passwordPath(dataDir, user)
  const stored = existsSync(path) ? readFileSync(path, 'utf8').trim() : ''
  if (stored.length >= passwordLength) return stored
  const generated = randomBytes(passwordBytes).toString('base64url')
  // Renamed into place, so that an interrupted start leaves no empty password.
  writeFileSync(`${path}.new`, generated, { mode: 0o600 })
  renameSync(`${path}.new`, path)
  return generated
}
