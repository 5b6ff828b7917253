import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { sendStatement, startTestEngine, type TestEngine } from '../../support/engine.ts'

const cleanups: (() => unknown)[] = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

const clickhouse = fileURLToPath(new URL('../../../clickhouse/', import.meta.url))

/** An engine whose log has files of `size`. */
async function startLogging(size: string): Promise<TestEngine> {
  const settings = mkdtempSync(join(tmpdir(), 'log-test-'))
  cleanups.push(() => rmSync(settings, { recursive: true }))
  const own = readFileSync(join(clickhouse, 'engine/config.xml'), 'utf8')
  const configFile = join(settings, 'config.xml')
  writeFileSync(configFile, own.replace('10M', size).replace('../server', join(clickhouse, 'server')))
  const engine = await startTestEngine({ configFile })
  cleanups.push(engine.end)
  return engine
}

/** Causes an error, and returns the text of each file of the log. */
async function logAfterError(engine: TestEngine): Promise<string[]> {
  await sendStatement(engine, 'reader', "SELECT throwIf(1, 'a thrown error')")
  const folder = join(engine.dataDir, 'log')
  return readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
}

test('the engine logs errors into its data folder, which only its owner can read', async () => {
  const engine = await startLogging('10M')
  await expect.poll(() => logAfterError(engine)).toEqual([expect.stringContaining('a thrown error')])
  const paths = ['log', 'log/clickhouse.log', 'clickhouse'].map((name) => join(engine.dataDir, name))
  for (const path of paths) expect(statSync(path).mode & 0o077).toBe(0)
})

test('the engine rotates its log, which it may write and not read, and has four files of it', async () => {
  const engine = await startLogging('2K')
  const wholeFiles = Array(4).fill(expect.stringContaining('a thrown error'))
  await expect.poll(() => logAfterError(engine).catch(() => [])).toEqual(wholeFiles)
  for (let errors = 0; errors < 20; errors++) await logAfterError(engine).catch(() => [])
  await expect.poll(() => logAfterError(engine).catch(() => [])).toEqual(wholeFiles)
})
