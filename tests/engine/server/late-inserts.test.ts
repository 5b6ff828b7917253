import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { countLateInserts, countLateQuorums } from '../../../clickhouse/cluster/node-health.ts'
import { render } from '../../../queries/sql/sql.ts'
import { createDatabase, type TestDatabase } from '../../support/database.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database?.drop())

test('an insert that runs has its age', async () => {
  const { writer } = database
  await writer.command('CREATE TABLE numbers_sent (n UInt8) ENGINE = MergeTree ORDER BY n')
  const rows = new Readable({ read() {} })
  // An insert begins once the server has read `max_query_size`, 256 KiB, or the end.
  rows.push('1\n'.repeat(200_000))
  const inserted = writer.insert('INSERT INTO numbers_sent FORMAT TSV', rows)
  const age = async () => (await writer.read(countLateInserts))[0]?.oldestInsertSeconds
  await expect.poll(age).toBeGreaterThan(0)
  rows.push(null)
  await inserted
})

test('quorums of Keeper are those of the shards’ tables that are over a minute old', async () => {
  const { writer } = database
  const name = new URL(database.writeUrl).pathname.slice(1)
  // With the columns of the system tables, as no engine here has a Keeper.
  await writer.command(
    'CREATE TABLE replicas (database String, zookeeper_path String) ENGINE = MergeTree ORDER BY database',
  )
  await writer.command(
    'CREATE TABLE zookeeper (path String, name String, ctime DateTime) ENGINE = MergeTree ORDER BY path',
  )
  await writer.command("INSERT INTO replicas VALUES ('reports_shard', '/t/1'), ('reports', '/t/2')")
  const { text, params } = render(countLateQuorums('reports_shard').statement)
  const found = async () => {
    const rows = await writer.stream(text.replaceAll('system.', `${name}.`), 'TSV', { params })
    const chunks = []
    for await (const chunk of rows) chunks.push(chunk)
    return Buffer.concat(chunks).toString().trim().split('\t')
  }
  const insert = (path: string, node: string, age: number) =>
    writer.command(`INSERT INTO zookeeper VALUES ('${path}', '${node}', now() - ${age})`)
  for (const node of ['parallel', 'last_part', 'failed_parts']) await insert('/t/1/quorum', node, 600)
  await insert('/t/1/quorum/parallel', 'all_9_9_0', 0)
  await insert('/t/2/quorum/parallel', 'all_8_8_0', 600)
  expect(await found()).toEqual(['0'])
  await insert('/t/1/quorum/parallel', 'all_172_172_0', 600)
  await insert('/t/1/quorum', 'status', 600)
  expect(await found()).toEqual(['2', 'all_172_172_0'])
})
