/** @module Disks of the embedded engine that fill while posts, an import and merges run. FULL_DISK_MINUTES=60 for a long run. */

import { execFileSync, spawn } from 'node:child_process'
import {
  closeSync,
  cpSync,
  mkdtempSync,
  openSync,
  rmSync,
  statfsSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { makeSiteToken } from '../../../app/collector/site-address.ts'
import { startCollector } from '../../../app/collector/start-collector.ts'
import { readConfig } from '../../../app/config.ts'
import { openDatabase } from '../../../app/program/open-database.ts'
import { reservedBytes } from '../../../clickhouse/disk-space.ts'
import { checkRollups } from '../../../clickhouse/rollups/check-rollups.ts'
import { newUrl, reportRequest } from '../../support/collector-posts.ts'
import { queryRows } from '../../support/database.ts'
import { freePort } from '../../support/free-port.ts'
import { posts, reportsIn } from '../../support/posts-file.ts'
import { builtPath } from '../../support/programs.ts'
import { createTenantWriter } from '../../support/tenants.ts'

const minutes = Number(process.env.FULL_DISK_MINUTES ?? 0)
// A round that began in time can wait for each of its polls.
vi.setConfig({ testTimeout: (minutes + 15) * 60_000 })
/** Of each file system. */
const fewestRounds = 3
const megabyte = 1 << 20
const diskBytes = 400 * megabyte
const linesOfImport = 400

const canMount = process.platform === 'linux' && process.getuid?.() === 0

type FileSystem = 'tmpfs' | 'ext4'

/** A small disk with a migrated folder, unmounted after the test. */
function mountDisk(fileSystem: FileSystem) {
  const mount = mkdtempSync(join(tmpdir(), 'full-disk-'))
  const image = `${mount}.img`
  if (fileSystem === 'tmpfs') {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskBytes}`, 'tmpfs', mount])
  } else {
    writeFileSync(image, '')
    truncateSync(image, diskBytes)
    execFileSync('mkfs.ext4', ['-q', '-m', '0', image])
    execFileSync('mount', ['-o', 'loop', image, mount])
  }
  const dataDir = join(mount, 'data')
  cpSync(inject('migratedFolder'), dataDir, { recursive: true })
  const free = () => {
    const { bavail, bsize } = statfsSync(mount)
    return bavail * bsize
  }
  /** Fills until so many bytes are free. */
  const fill = (name: string, leave: number) => {
    const file = openSync(join(mount, name), 'w')
    try {
      for (const size of [megabyte, 4_096]) {
        const chunk = Buffer.alloc(size)
        try {
          while (free() > leave + (leave > 0 ? size : -1)) writeSync(file, chunk)
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
        }
      }
    } finally {
      closeSync(file)
    }
  }
  const empty = () => {
    for (const name of ['most', 'rest']) rmSync(join(mount, name), { force: true })
  }
  const unmount = () => {
    execFileSync('umount', ['--lazy', mount])
    rmSync(mount, { recursive: true, force: true })
    rmSync(image, { force: true })
  }
  const reserve = () => {
    const { blocks, bsize } = statfsSync(mount)
    return reservedBytes(blocks * bsize)
  }
  return { dataDir, free, fill, empty, unmount, reserve }
}

const mergedTables = ['reports', 'reports_per_hour_by_cube_value', 'reports_per_day_by_issue', 'reports_by_time']

describe.skipIf(!canMount).each<FileSystem>(['tmpfs', 'ext4'])('a disk of %s that fills', (fileSystem) => {
  test('every report behind a 204 is stored once, rollups agree, each active part is whole, and health is right', async () => {
    const disk = mountDisk(fileSystem)
    const config = readConfig({ DATA_DIR: disk.dataDir, COLLECTOR_PORT: '0' })
    const port = await freePort()
    const deaths: string[] = []
    const database = await openDatabase(config, { port, onDeath: (how) => void deaths.push(how) })
    const { writer, reader } = database
    const log = pino({ level: 'silent' })
    const collector = await startCollector(config, writer, log)
    onTestFinished(async () => {
      disk.empty()
      await collector.stop()
      await database.close()
      disk.unmount()
    })
    const records = createTenantWriter(writer)
    const [tenantId, token] = [await records.createTenant(), makeSiteToken()]
    await records.createSite(tenantId, { hosts: ['shop.example', 'shop.test'], token })
    const acknowledged: string[] = []
    const probe = () => fetch(`${collector.url}/readyz`)
    const ready = async () => (await probe()).status
    const checks = async () => ((await (await probe()).json()) as { checks: Record<string, string> }).checks
    /** Includes the engine, which restarts after a lost write; the collector does not. */
    const isWell = async () => Object.values(await checks()).every((status) => status === 'ok')
    const file = `${disk.dataDir}/../posts.ndjson`
    let lines = linesOfImport
    let isOver = false

    async function post(): Promise<void> {
      while (!isOver) {
        const url = newUrl()
        const response = await fetch(`${collector.url}/r/${token}`, reportRequest(url)).catch(() => undefined)
        if (response?.status === 204) acknowledged.push(url)
        else await sleep(50)
      }
    }

    function runImport(): Promise<{ readonly code: number | null; readonly stderr: string }> {
      const environment = { ...process.env, DATA_DIR: disk.dataDir, CLICKHOUSE_PORT: String(port) }
      const args = [builtPath('app/cli.ts'), 'import', 'reports', '--tenant', tenantId, file]
      const child = spawn(process.execPath, args, { env: environment, stdio: ['ignore', 'ignore', 'pipe'] })
      const printed = text(child.stderr)
      return new Promise((resolve) =>
        child.once('exit', async (code) => resolve({ code, stderr: (await printed).slice(-500) })),
      )
    }

    async function round(): Promise<void> {
      await expect.poll(ready).toBe(200)
      disk.fill('most', disk.reserve() + Math.random() * 40 * megabyte)
      const table = mergedTables[Math.floor(Math.random() * mergedTables.length)]
      const merge = writer.command(`OPTIMIZE TABLE ${table} FINAL`).catch(() => undefined)
      await sleep(Math.random() * 300)
      disk.fill('rest', 0)
      // Read by SQL: until a killed engine is back, no response is a failure too.
      await expect.poll(ready).toBe(503)
      const count = async () => (await queryRows(reader, 'SELECT count() FROM reports WHERE NOT ignore(*)'))[0]?.[0]
      await expect.poll(() => count().catch(() => -1)).toBeGreaterThanOrEqual(0)
      // A killed engine gives back what its merge wrote: enough for the log at times, never for inserts.
      await expect.poll(async () => (await checks()).disk).toBe('failing')
      await sleep(Math.random() * 2_000)
      disk.empty()
      await merge
      await expect.poll(isWell).toBe(true)
    }

    const posters = [1, 2, 3].map(post)
    const until = Date.now() + (minutes * 60_000) / 2
    for (let done = 0; done < fewestRounds || Date.now() < until; done++) {
      writeFileSync(file, posts(0, lines))
      const imported = done % 3 === 0 ? runImport() : undefined
      await round()
      if (imported !== undefined && (await imported).code !== 0) {
        const { code, stderr } = await runImport()
        expect(code, stderr).toBe(0)
      }
      if (imported !== undefined) expect(await importedReports()).toBe(reportsIn(0, lines))
      lines += 20
    }
    isOver = true
    await Promise.all(posters)
    await collector.drained()

    async function importedReports() {
      const statement = `SELECT count() FROM reports WHERE tenant_id = '${tenantId}' AND document_url LIKE 'https://shop.test/%'`
      return (await queryRows(reader, statement))[0]?.[0]
    }

    const rows = await queryRows(reader, 'SELECT document_url, count() FROM reports GROUP BY document_url')
    const stored = new Map(rows.map(([url, times]) => [String(url), Number(times)]))
    expect(acknowledged.length).toBeGreaterThan(0)
    expect(acknowledged.filter((url) => stored.get(url) !== 1)).toEqual([])
    const posted = [...stored].filter(([url]) => url.startsWith('https://shop.example/'))
    expect(posted.filter(([, times]) => times !== 1)).toEqual([])
    expect(await checkRollups(writer)).toMatchObject({ different: 0 })
    expect(await damagedTables()).toEqual([])
    process.stdout.write(`${fileSystem}: ${acknowledged.length} posts of 204, engine ended ${deaths.length} times\n`)

    /** Tables with an active part whose files are not as its checksums say, such as files of 0 bytes. */
    async function damagedTables(): Promise<string[]> {
      const tables = await queryRows(
        writer,
        "SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree'",
      )
      const found: string[] = []
      for (const [table] of tables) {
        const [[isSound] = []] = await queryRows(
          writer,
          `CHECK TABLE ${table} SETTINGS check_query_single_value_result = 1`,
        )
        if (Number(isSound) !== 1) found.push(String(table))
      }
      return found
    }
  })
})
