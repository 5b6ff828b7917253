import { readFile } from 'node:fs/promises'
import { afterAll, expect, inject, test, vi } from 'vitest'
import { createBootReader, findBoot, isSameBoot } from '../../../clickhouse/read-boot.ts'
import { render } from '../../../queries/sql/sql.ts'
import { createDatabase, queryRows } from '../../support/database.ts'
import { connectPatiently } from '../../support/patience.ts'

const writer = connectPatiently(inject('servers').writeUrl)

afterAll(() => writer.close())

test('the boot of the embedded engine is that of this machine, at each read', async () => {
  const onUnknown = vi.fn()
  const readBoot = createBootReader(writer, onUnknown)
  const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim()
  for (let read = 0; read < 2; read++) expect(await readBoot(new AbortController().signal)).toBe(boot)
  expect(onUnknown).not.toHaveBeenCalled()
})

test('the boot of a server is that of its machine, however long ago it read its metrics', async () => {
  const database = await createDatabase()
  try {
    const { writer, writeUrl } = database
    // With the columns of the system table, which the embedded engine lacks.
    await writer.command(
      'CREATE TABLE asynchronous_metrics (metric String, value Float64) ENGINE = MergeTree ORDER BY ()',
    )
    const name = new URL(writeUrl).pathname.slice(1)
    const statement = render(findBoot.statement).text.replace('system.', `${name}.`)
    const boots = async () => (await queryRows(writer, statement)).flat().map(String)
    expect(await boots()).toEqual([])
    for (const readAt of [1, 500]) {
      await writer.command(
        `INSERT INTO asynchronous_metrics VALUES ('Uptime', ${readAt}), ('OSUptime', ${readAt + 7000})`,
      )
      const [expected] = await queryRows(writer, 'SELECT toUnixTimestamp(now()) - uptime() - 7000')
      const [boot] = await boots()
      expect(Math.abs(Number(boot) - Number(expected?.[0]))).toBeLessThan(3)
      await writer.command('TRUNCATE TABLE asynchronous_metrics')
    }
  } finally {
    await database.drop()
  }
})

test('starts of a machine that are over 10 s apart are two', () => {
  expect(isSameBoot('1000', '1010')).toBe(true)
  expect(isSameBoot('1000', '1011')).toBe(false)
  expect(isSameBoot('1011', '1000')).toBe(false)
  expect(isSameBoot('one-id', 'one-id')).toBe(true)
  expect(isSameBoot('one-id', 'other-id')).toBe(false)
})
