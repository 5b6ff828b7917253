import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { openDatabase } from '../../../app/program/open-database.ts'
import { isConfined, unconfined } from '../../../clickhouse/engine/is-confined.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { freePort } from '../../support/free-port.ts'
import { hasLandlock } from '../../support/has-landlock.ts'

const cleanups: (() => unknown)[] = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

test('a start with a port of its own prints a line where the engine is not confined, and a short command none', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'confinement-'))
  cleanups.push(() => rmSync(dataDir, { recursive: true }))
  const stepsOf = async (port: number) => {
    const steps: string[] = []
    const settings = { CLICKHOUSE_URL: undefined, CLICKHOUSE_CLUSTER: false, CLICKHOUSE_PORT: port, DATA_DIR: dataDir }
    const access = await openDatabase(settings, { port, onStep: (step) => steps.push(step) })
    await access.close()
    return steps
  }
  expect(await stepsOf(0)).not.toContain(unconfined)
  const steps = await stepsOf(await freePort())
  if (hasLandlock()) expect(steps).not.toContain(unconfined)
  else expect(steps).toContain(unconfined)
})

test('an engine is not confined if its reader reads the password of the writer', async () => {
  const reads = { read: async () => [{ bytes: 32 }] } as unknown as Database
  const fails = { read: () => Promise.reject(new Error('CANNOT_OPEN_FILE')) } as unknown as Database
  expect(await isConfined(reads, '.data')).toBe(false)
  expect(await isConfined(fails, '.data')).toBe(true)
})
