import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ClickHouseError } from '@clickhouse/client'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { createRestoreBlocks, type RestoreBlocksOptions } from '../../../../app/collector/restore-blocks.ts'
import { openSpool, type Spool } from '../../../../app/collector/spool.ts'
import { toInsertLine } from '../../../../app/import/reports/insert-block.ts'
import { aReport } from '../../../../fixtures/reports.ts'
import { importVersionTtlMs } from '../../../../schema/durations.ts'

const folders: string[] = []
let spool: Spool
let steps: string[]

beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'restore-'))
  folders.push(folder)
  spool = await openSpool(join(folder, 'blocks'), join(folder, 'stored'))
  steps = []
})
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))))

/** Into a ClickHouse that has every site and no report. */
async function restore(replaced: Partial<RestoreBlocksOptions> = {}): Promise<void> {
  const report = aReport()
  const { restore } = createRestoreBlocks({
    database: {
      read: async ({ name }) => (name === 'findSites' ? [{ id: report.siteId }] : []) as never,
      command: async () => {},
    },
    spool,
    writer: { write: async () => {} },
    logSteps: async (tenantIds, token, state) => void steps.push(`${state} ${token} ${tenantIds.join()}`),
    settle: async () => true,
    readBoot: async () => '2',
    ...replaced,
  })
  const setAside = {
    unreadable: async () => {},
    async refused() {
      steps.push('refused')
    },
  }
  await restore('2', 'own', setAside, new AbortController().signal)
}

test('a restore ends the steps of earlier collectors too, and is done once no process knows the version of before', async () => {
  for (const [token, stepToken, tenantId] of [
    ['1', 'earlier', 'a'],
    ['2', 'own', 'a'],
    ['3', 'own', 'b'],
    ['4', 'own', 'b'],
  ] as const) {
    await spool.save({ token, stepToken, tenantIds: [tenantId], rows: Buffer.from('') })
    await spool.moveToStored({ token, isWithdrawn: false })
  }
  const startedAt = performance.now()
  let lasted = 0
  await restore({
    onRestore(restored) {
      if (restored !== 'begins') lasted = performance.now() - startedAt
    },
  })
  expect(steps.slice(0, 2).toSorted()).toEqual(['started own a', 'started own b'])
  expect(steps.slice(2).toSorted()).toEqual(['done earlier a', 'done own a,b'])
  expect(lasted).toBeGreaterThanOrEqual(importVersionTtlMs)
  expect(await spool.lastBoot()).toBe('2')
})

test('a block that ClickHouse refuses in a restore is set aside, and its tenant remains uncached until the end', async () => {
  const rows = Buffer.from(toInsertLine(aReport()))
  await spool.save({ token: '1', stepToken: 'own', tenantIds: ['a'], rows })
  await restore({
    writer: {
      async write() {
        throw new ClickHouseError({ code: '53', type: 'TYPE_MISMATCH', message: 'wrong' })
      },
    },
  })
  expect(steps).toEqual(['started own a', 'refused', 'started own a', 'done own a'])
})
