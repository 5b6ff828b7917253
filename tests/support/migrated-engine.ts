import { cpSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import { startTestEngine, type TestEngine } from './engine.ts'

/** An engine of the test's own with every migration: a copy of the folder in which they ran once. Call `end()` in `afterAll`. */
export function startMigratedEngine(): Promise<TestEngine> {
  const dataDir = mkdtempSync(join(tmpdir(), 'engine-test-'))
  cpSync(inject('migratedFolder'), dataDir, { recursive: true })
  return startTestEngine({ dataDir })
}
