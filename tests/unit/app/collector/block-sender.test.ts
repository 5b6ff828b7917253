import { expect, test, vi } from 'vitest'
import { createBlockSender } from '../../../../app/collector/block-sender.ts'
import type { RestoreBlocks } from '../../../../app/collector/restore-blocks.ts'
import type { Spool } from '../../../../app/collector/spool.ts'

test('stored blocks remain while ClickHouse does not respond, and old ones go once its machine is the same', async () => {
  const removeOld = vi.fn(async () => {})
  const newBoot = vi.fn<RestoreBlocks['newBoot']>().mockRejectedValue(new Error('ClickHouse does not respond'))
  const sender = createBlockSender({
    writer: { write: async () => {} },
    logSteps: async () => {},
    settle: async () => false,
    spool: { removeOld } as unknown as Spool,
    restore: { newBoot, restore: async () => {} },
    timeouts: { bootPollMs: 1 },
  })
  await expect.poll(() => newBoot.mock.calls.length).toBeGreaterThan(3)
  expect(removeOld).not.toHaveBeenCalled()
  newBoot.mockResolvedValue(undefined)
  await expect.poll(() => removeOld.mock.calls.length).toBeGreaterThan(0)
  await sender.close()
})
