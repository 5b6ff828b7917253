/**
 * @module Detects failed writes, for example on a full disk: the library ignores them and commits a part with empty
 * files (chdb 3.4, `WriteBufferFromFileDescriptor::nextImpl`; a ClickHouse server throws). The parts it was merged from
 * remain for a minute (config.xml).
 */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../queries/clickhouse/database.ts'
import { Problem } from '../../schema/problems.ts'

const statement = `
  SELECT sum(value)
  FROM system.events
  WHERE event = 'WriteBufferFromFileDescriptorWriteFailed'
  SETTINGS log_queries = 0`

/** Writes that failed since the engine's start. Rejects if it does not respond. */
export async function countLostWrites(writerUrl: string): Promise<number> {
  const { origin, username, password } = new URL(writerUrl)
  // Uses a separate connection: a stopping engine waits up to 5 s for idle ones.
  const headers = { Authorization: `Basic ${btoa(`${username}:${password}`)}`, Connection: 'close' }
  const signal = AbortSignal.timeout(timeoutMs)
  const response = await fetch(origin, { method: 'POST', body: statement, headers, signal })
  const text = await response.text()
  // An engine of an earlier release without the grant runs until its owner is upgraded.
  if (response.headers.get('X-ClickHouse-Exception-Code') === accessDenied) return 0
  if (!response.ok) throw new Error(`Cannot read ClickHouse's count of failed writes: ${text}`)
  return Number(text)
}

const accessDenied = '497'
const timeoutMs = 5_000
const pollMs = 100
/** The owner ends the engine within a second. */
const endedWithinMs = 15_000

/** Fails a write if the engine lost one, after its owner has ended it: until then its parts seem to be stored. */
export function withoutLostWrites(database: Database, writerUrl: string): Database {
  async function requireWritten(): Promise<void> {
    if ((await countLostWrites(writerUrl)) === 0) return
    const deadline = Date.now() + endedWithinMs
    const isLossy = () => countLostWrites(writerUrl).then(Boolean, () => false)
    while (Date.now() < deadline && (await isLossy())) await sleep(pollMs)
    const cause = new Error('The disk of DATA_DIR is full: ClickHouse lost a write and is restarted')
    throw new Problem('upstream_unavailable', undefined, { cause })
  }
  return {
    ...database,
    async command(...given) {
      await database.command(...given)
      await requireWritten()
    },
    async insert(...given) {
      await database.insert(...given)
      await requireWritten()
    },
  }
}
