/** @module A death of the embedded engine under each program that owns one. */

import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject, onTestFinished, test } from 'vitest'
import { freePort } from '../../support/free-port.ts'
import { spawnScript } from '../../support/spawn-script.ts'

const programs = { 'app/collect.ts': 'COLLECTOR_METRICS_PORT', 'app/work.ts': 'WORKER_METRICS_PORT' }

test.each(Object.entries(programs))('%s logs it as JSON with the time, and counts it', async (file, variable) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'engine-deaths-'))
  cpSync(inject('migratedFolder'), dataDir, { recursive: true })
  const port = await freePort()
  const environment = {
    DATA_DIR: dataDir,
    CLICKHOUSE_PORT: '0',
    PORT: '0',
    COLLECTOR_PORT: '0',
    [variable]: String(port),
  }
  const program = spawnScript(file, [], environment)
  onTestFinished(async () => {
    program.child.kill('SIGTERM')
    await program.ended()
    rmSync(dataDir, { recursive: true, force: true })
  })
  await program.printed(/^Collecting reports|^Scanning monitored pages/m)
  const restarts = async () => {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    return /^engine_restarts_total (\d+)$/m.exec(text)?.[1]
  }
  expect(await restarts()).toBe('0')
  const { pid } = program.child
  const [engine] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')
  process.kill(Number(engine), 'SIGKILL')
  const [line] = await program.printed(/^.*The embedded ClickHouse exited.*$/m)
  expect(JSON.parse(line)).toMatchObject({ level: 50, time: expect.any(Number), reason: 'SIGKILL' })
  await expect.poll(restarts).toBe('1')
})
