import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { afterAll, expect, test } from 'vitest'
import { reportOldest } from '../../../app/collector/report-oldest.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { findOldestWaiting } from '../../../queries/tenants/activity.ts'
import { startApi } from '../../support/api.ts'
import { queryRows, type TestDatabase } from '../../support/database.ts'
import { createMigratedDatabase } from '../../support/migrated-database.ts'

let owned: TestDatabase | undefined

afterAll(() => owned?.drop())

test('a collector that is behind stores the time of its oldest report, and once that it no longer is', async () => {
  owned = await createMigratedDatabase()
  const { writer } = owned
  const waiting = async () => (await writer.read(findOldestWaiting))[0]
  let oldestAt: number | undefined = Date.now() - 60_000
  let refuses = true
  const insert: Database['insert'] = async (...given) => {
    if (refuses) throw new Error('no connection')
    return writer.insert(...given)
  }
  const reporting = reportOldest({ database: { insert }, id: randomUUID(), oldestAt: () => oldestAt, everyMs: 20 })
  refuses = false
  const oldest = new Date(oldestAt).toISOString()
  await expect.poll(waiting).toMatchObject({ oldestAt: oldest, hosts: [hostname()] })
  expect((await waiting())?.seconds).toBeGreaterThanOrEqual(60)
  const api = await startApi(owned)
  const { status, body } = await api.get('/explorer/served/waiting.json')
  expect({ status, body }).toEqual({ status: 200, body: { seconds: expect.toSatisfy((age: number) => age >= 60) } })
  await api.close()

  oldestAt = Date.now()
  await expect.poll(waiting).toEqual({ oldestAt: null, emptiedAt: expect.any(String), seconds: 0, hosts: [] })
  const rows = () => queryRows(writer, 'SELECT count() FROM collector_logs')
  const before = await rows()
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(await rows()).toEqual(before)

  oldestAt = Date.now() - 11_000
  await expect.poll(async () => (await waiting())?.hosts).toEqual([hostname()])
  oldestAt = undefined
  await reporting.close()
  expect(await waiting()).toEqual({ oldestAt: null, emptiedAt: expect.any(String), seconds: 0, hosts: [] })
})
