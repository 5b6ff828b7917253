import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createRestoreBlocks } from '../../../../app/collector/restore-blocks.ts'
import { openSpool } from '../../../../app/collector/spool.ts'
import { importVersionTtlMs } from '../../../../schema/durations.ts'

test('a restore ends the steps of earlier collectors too, and is done once no process knows the version of before', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'restore-'))
  const spool = await openSpool(join(folder, 'blocks'), join(folder, 'stored'))
  for (const [token, stepToken, tenantId] of [
    ['1', 'earlier', 'a'],
    ['2', 'own', 'a'],
    ['3', 'own', 'b'],
    ['4', 'own', 'b'],
  ] as const) {
    await spool.save({ token, stepToken, tenantIds: [tenantId], rows: Buffer.from('') })
    await spool.moveToStored({ token, isWithdrawn: false })
  }
  const steps: string[] = []
  let lastStepAt = 0
  let restoredAt = 0
  const { restore } = createRestoreBlocks({
    database: { read: async () => [], command: async () => {} },
    spool,
    writer: { write: async () => {} },
    async logSteps(tenantIds, token, state) {
      steps.push(`${state} ${token} ${tenantIds.join()}`)
      lastStepAt = performance.now()
    },
    settle: async () => true,
    readBoot: async () => '2',
    onRestore(restored) {
      if (restored !== 'begins') restoredAt = performance.now()
    },
  })
  const setAside = { unreadable: async () => {}, refused: async () => {} }
  await restore('2', 'own', setAside, new AbortController().signal)
  expect(steps.filter((step) => step.startsWith('started')).toSorted()).toEqual(['started own a', 'started own b'])
  expect(steps.slice(2).toSorted()).toEqual(['done earlier a', 'done own a,b'])
  expect(restoredAt - lastStepAt).toBeGreaterThanOrEqual(importVersionTtlMs)
  expect(await spool.lastBoot()).toBe('2')
  await rm(folder, { recursive: true })
})
