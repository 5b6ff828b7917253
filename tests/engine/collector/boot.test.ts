import { readFile } from 'node:fs/promises'
import { afterAll, expect, inject, test, vi } from 'vitest'
import { createBootReader } from '../../../app/collector/read-boot.ts'
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
