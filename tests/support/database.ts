import { randomBytes } from 'node:crypto'
import { json } from 'node:stream/consumers'
import { inject } from 'vitest'
import type { Database } from '../../queries/clickhouse/database.ts'
import { connectPatiently } from './patience.ts'

/** A database of its own on the shared engine, without tables. */
export interface TestDatabase {
  readonly readUrl: string
  readonly writeUrl: string
  readonly reader: Database
  readonly writer: Database
  drop(): Promise<void>
}

/** For tests that other files' rows would disturb. */
export async function createDatabase(): Promise<TestDatabase> {
  const { readUrl, writeUrl } = inject('servers')
  const name = `default_test_${randomBytes(6).toString('hex')}`
  const shared = connectPatiently(writeUrl)
  await shared.command(`CREATE DATABASE ${name}`)
  const [ownReadUrl, ownWriteUrl] = [readUrl, writeUrl].map((url) => new URL(`/${name}`, url).href) as [string, string]
  const [reader, writer] = [connectPatiently(ownReadUrl), connectPatiently(ownWriteUrl)]
  return {
    readUrl: ownReadUrl,
    writeUrl: ownWriteUrl,
    reader,
    writer,
    async drop() {
      await shared.command(`DROP DATABASE ${name}`)
      await Promise.all([reader.close(), writer.close(), shared.close()])
    },
  }
}

export async function queryRows(database: Database, statement: string): Promise<unknown[][]> {
  const response = await database.stream(statement, 'JSONCompact', {
    // The reader gets rows of every tenant only with the comment.
    settings: { output_format_json_quote_64bit_integers: 0, log_comment: JSON.stringify({ everyTenant: true }) },
  })
  return ((await json(response)) as { data: unknown[][] }).data
}
