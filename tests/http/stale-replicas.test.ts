import { afterAll, beforeAll, expect, test } from 'vitest'
import { aReport } from '../../fixtures/reports.ts'
import { connect } from '../../queries/clickhouse/client.ts'
import type { Database } from '../../queries/clickhouse/database.ts'
import { countStoredRows } from '../../queries/reports/stored-ids.ts'
import { fakeReplicas } from '../support/fake-replicas.ts'
import { patience } from '../support/patience.ts'

const report = aReport()
const count = countStoredRows([{ tenantId: report.tenantId, receivedAt: report.receivedAt, id: report.id }])
const unavailable = { code: 'upstream_unavailable' }

const replicas = fakeReplicas()
let cluster: Database

beforeAll(() => {
  cluster = connect(replicas.urls(), patience)
})
afterAll(() => cluster.close())

const isChecked = (search: URLSearchParams) => search.get('max_replica_delay_for_distributed_queries') === '1'
/** Every replica of the shard is behind, for so many reads. */
const staleFor = (reads: number) => {
  let left = reads
  return (search: URLSearchParams) => (isChecked(search) && left-- > 0 ? '369' : undefined)
}

test('a read waits for a moment in which each replica lacks a part that another has', async () => {
  Object.assign(replicas.state(), { codeOfRead: staleFor(4), lacking: [0, 1] })
  expect(await cluster.read(count)).toEqual([{ rows: 1 }])
})

test('it is refused where that does not end', async () => {
  Object.assign(replicas.state(), { codeOfRead: staleFor(100), lacking: [0, 1] })
  await expect(cluster.read(count)).rejects.toMatchObject(unavailable)
  expect(
    replicas
      .state()
      .searches.filter((search) => search.has('log_comment'))
      .every(isChecked),
  ).toBe(true)
})

test('it goes on without Keeper, where every replica responds and nothing waits to be fetched', async () => {
  Object.assign(replicas.state(), { codeOfRead: staleFor(100) })
  expect(await cluster.read(count)).toEqual([{ rows: 1 }])
})

test.each([0, 1])('it is refused at once where a replica is down, which can have more: %d', async (lacking) => {
  Object.assign(replicas.state(), { codeOfRead: staleFor(100), lacking: [lacking, undefined] })
  await expect(cluster.read(count)).rejects.toMatchObject(unavailable)
  expect(replicas.state().searches.filter((search) => search.has('log_comment'))).toHaveLength(1)
})
