import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { createRejectedFile } from '../../../app/import/ndjson/rejected-file.ts'
import { isTransient } from '../../../app/import/with-retry.ts'
import { migrate } from '../../../clickhouse/migrate.ts'
import { checkRollups } from '../../../clickhouse/rollups/check-rollups.ts'
import { connect, type Database } from '../../../queries/clickhouse/client.ts'
import { startApi } from '../../support/api.ts'
import { queryRows } from '../../support/database.ts'
import { startTestEngine } from '../../support/engine.ts'
import { importFile, type SmallImport } from '../../support/import-file.ts'
import { spawnScript } from '../../support/spawn-script.ts'

const folder = mkdtempSync(join(tmpdir(), 'import-exactly-once-'))
const siteId = '00000000-0000-4000-8000-0000000000aa'
const start = Date.UTC(2026, 8, 20)
let database: Database

beforeAll(() => {
  database = connect(inject('servers').writeUrl)
})

afterAll(async () => {
  await database?.close()
  rmSync(folder, { recursive: true })
})

/** POSTs of one to three reports of several types, over days; every fifth is a bare body, which brings no time. */
function posts(from: number, to: number, host = 'shop.test'): string {
  const report = (index: number, part: number) => {
    const url = `https://${host}/page/${index % 7}?n=${index}`
    const policy = "default-src 'self'; ".repeat(10)
    const body = { documentURL: url, blockedURL: `https://h${index % 11}.test/${part}`, originalPolicy: policy }
    return index % 3 === 0
      ? { age: part, type: 'crash', url, body: { reason: 'oom' } }
      : { age: part, type: 'csp-violation', url, body }
  }
  const line = (index: number) => {
    const body = Array.from({ length: 1 + (index % 3) }, (_, part) => report(index, part))
    const receivedAt = new Date(start + index * 300_000).toISOString()
    return JSON.stringify(index % 5 === 0 ? body : { receivedAt, body })
  }
  return Array.from({ length: to - from }, (_, index) => `${line(from + index)}\n`).join('')
}

const reportsIn = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => 1 + ((from + index) % 3)).reduce((sum, count) => sum + count, 0)

let tenants = 0

function newImport(name: string, lines: string): SmallImport {
  const path = join(folder, name)
  writeFileSync(path, lines)
  const tenantId = `00000000-0000-4000-8000-1${String(process.pid).padStart(7, '0')}${String(tenants++).padStart(4, '0')}`
  return { writeUrl: inject('servers').writeUrl, path, tenantId, sites: [{ id: siteId, hosts: ['shop.test'] }] }
}

/** What is stored: rows, different ids, and whether every rollup agrees. */
async function stored({ tenantId }: SmallImport, store = database) {
  const [row = []] = await queryRows(
    store,
    `SELECT count(), uniqExact(id) FROM reports WHERE tenant_id = '${tenantId}'`,
  )
  const { different } = await checkRollups(store, { tenantId })
  return { rows: row[0], ids: row[1], different }
}

/** Imports the file and gives the path of its rejected file. */
async function rejectedOf(given: SmallImport): Promise<string> {
  const file = await createRejectedFile({ path: `${given.path}.rejected.ndjson`, overwrite: true })
  await importFile({ ...given, onReject: file.write })
  return (await file.close()) ?? ''
}

/** Receipt times that no line names. */
const timesOf = ({ tenantId }: SmallImport) =>
  queryRows(
    database,
    `SELECT DISTINCT received_at FROM reports WHERE tenant_id = '${tenantId}' AND received_at > '2026-11-01'`,
  )

const complete = (reports: number) => ({ rows: reports, ids: reports, different: 0 })

describe('a file', () => {
  test('a file imported twice is stored once, with equal counts', async () => {
    const given = newImport('twice.ndjson', posts(0, 900))
    const first = await importFile(given)
    const second = await importFile(given)
    expect(first).toEqual({
      posts: 900,
      reports: 1_800,
      stored: 1_800,
      expired: 0,
      skipped: {},
      unknownMembers: {},
      rejected: 0,
    })
    expect(second).toEqual(first)
    expect(await stored(given)).toEqual(complete(1_800))
  })

  test('a file that grew stores only its new lines', async () => {
    const given = newImport('grown.ndjson', posts(0, 350).trimEnd())
    await importFile(given)
    for (const [from, to] of [
      [350, 351],
      [351, 800],
    ] as const) {
      appendFileSync(given.path, `\n${posts(from, to).trimEnd()}`)
      expect((await importFile(given)).stored).toBe(reportsIn(0, to))
      expect(await stored(given)).toEqual(complete(reportsIn(0, to)))
    }
  })

  test('two files with one beginning store both ends', async () => {
    const given = newImport('one-end.ndjson', posts(0, 400))
    await importFile(given)
    writeFileSync(given.path, posts(0, 300) + posts(1_000, 1_100))
    await importFile(given)
    const { rows, different } = await stored(given)
    // Lines that both files have in the batch in which they part are stored with each.
    expect(rows).toBeGreaterThanOrEqual(reportsIn(0, 400) + reportsIn(1_000, 1_100))
    expect(different).toBe(0)
  })

  test('a file imported for a site and by its hosts is two imports', async () => {
    const given = newImport('by-site.ndjson', posts(0, 50))
    await importFile(given)
    await importFile({ ...given, siteId })
    expect((await stored(given)).rows).toBe(2 * reportsIn(0, 50))
  })

  test('a rejected file stores its reports once their host has a site, and nothing twice', async () => {
    const given = newImport('late-site.ndjson', posts(0, 100) + posts(100, 150, 'late.test') + posts(150, 200))
    const [all, late] = [reportsIn(0, 200), reportsIn(100, 150)]
    const rejectedPath = await rejectedOf(given)
    expect(await importFile(given)).toMatchObject({ stored: all - late, rejected: late })
    expect(await stored(given)).toEqual(complete(all - late))
    const sites = [...given.sites, { id: siteId.replace('aa', 'bb'), hosts: ['*.test'] }]
    const [before] = await timesOf(given)
    for (let run = 0; run < 2; run++) {
      expect(await importFile({ ...given, path: rejectedPath, sites })).toMatchObject({ stored: late, rejected: 0 })
      expect(await stored(given)).toEqual(complete(all))
    }
    // Reports without a time of their own have that of the file's import.
    expect(await timesOf(given)).toEqual([before])
  })

  test('a file imported again after its host has a site rejects the same lines', async () => {
    const given = newImport('same-rejected.ndjson', posts(0, 20) + posts(20, 30, 'late.test') + posts(30, 40))
    const [all, late] = [reportsIn(0, 40), reportsIn(20, 30)]
    const sites = [...given.sites, { id: siteId.replace('aa', 'bb'), hosts: ['late.test'] }]
    const first = readFileSync(await rejectedOf(given), 'utf8')
    const again = await rejectedOf({ ...given, sites })
    expect(readFileSync(again, 'utf8')).toBe(first)
    expect(await stored(given)).toEqual(complete(all - late))
    expect(await importFile({ ...given, path: again, sites })).toMatchObject({ stored: late, rejected: 0 })
    expect(await stored(given)).toEqual(complete(all))
  })

  test('a rejected file has only the reports of a line that were not stored', async () => {
    const [shop, late] = [JSON.parse(posts(1, 2)), JSON.parse(posts(1, 2, 'late.test'))]
    const mixed = { ...shop, body: [...shop.body, ...late.body, 7] }
    const given = newImport('mixed.ndjson', `${JSON.stringify(mixed)}\n`)
    const sites = [...given.sites, { id: siteId.replace('aa', 'bb'), hosts: ['late.test'] }]
    const path = await rejectedOf(given)
    expect(await stored(given)).toEqual(complete(2))
    for (let run = 0; run < 2; run++) {
      expect(await importFile({ ...given, path, sites })).toMatchObject({ reports: 3, stored: 2, rejected: 1 })
      expect(await stored(given)).toEqual(complete(4))
    }
  })
})

describe('a failed import', () => {
  test.each(['start', 'write', 'finish'] as const)(
    'an import that fails at the step %s goes on from there',
    async (step) => {
      const given = newImport(`fails-${step}.ndjson`, posts(0, 700))
      for (const after of [0, 1, 2]) {
        await expect(importFile({ ...given, failsAt: { step, after } })).rejects.toThrow('no further')
      }
      await importFile(given)
      expect(await stored(given)).toEqual(complete(reportsIn(0, 700)))
    },
  )
})

describe('a killed importer', () => {
  test('an importer killed again and again stores every report once when it finishes', async () => {
    const given = newImport('killed.ndjson', posts(0, 2_500))
    const argument = JSON.stringify(given)
    for (const kill of [1, 2, 3, 4]) {
      const importer = spawnScript('tests/support/import-file.ts', [argument], {})
      await importer.printed(new RegExp(`(read \\d+\\s+){${kill}}`), 30_000)
      // From one batch to the next: before its record, during its insert, or before the record that it is done.
      await sleep(kill * 7)
      importer.child.kill('SIGKILL')
      await importer.ended()
    }
    const before = (await stored(given)).rows
    expect(before).toBeLessThan(reportsIn(0, 2_500))
    expect((await importFile(given)).stored).toBe(reportsIn(0, 2_500))
    expect(await stored(given)).toEqual(complete(reportsIn(0, 2_500)))
    const times = `SELECT uniqExact(received_at) FROM reports WHERE tenant_id = '${given.tenantId}' AND received_at > '2026-11-01'`
    // Bare bodies got the time of the run that began their batch.
    expect((await queryRows(database, times))[0]?.[0]).toBeLessThanOrEqual(5)
  }, 120_000)
})

/** 50 kills take a minute and a half: `ENGINE_KILLS=50 npm test -- import-exactly-once`. */
const wantedKills = Number(process.env.ENGINE_KILLS ?? 4)

describe('a killed engine', () => {
  test('an engine killed under load responds correctly or with 503, and has every report once', async () => {
    const engine = await startTestEngine()
    const { reader: readUrl, writer: writeUrl } = engine.userUrls
    const own = connect(writeUrl)
    await migrate(own)
    const api = await startApi({ readUrl, writeUrl })
    let kills = 0
    try {
      const tenantId = await api.createTenant()
      const steady = { ...newImport('steady.ndjson', posts(0, 500)), writeUrl, tenantId }
      await importFile(steady)
      const key = await api.createKey(tenantId)
      const path = '/v1/reports/count?from=2026-09-20T00:00:00Z&to=2026-09-24T00:00:00Z'
      const right = await api.get(path, { key })
      // CSP violations alone; bare bodies, every fifth, have the time of the import.
      const counted = Array.from({ length: 500 }, (_, index) => (index % 5 && index % 3 ? 1 + (index % 3) : 0))
      expect(right.body.data.reportCount).toBe(counted.reduce((sum, count) => sum + count, 0))

      const statuses = new Map<number, number>()
      const load = async () => {
        while (kills < wantedKills) {
          const { status, body } = await api.get(path, { key })
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
          if (status === 200) expect(body).toEqual(right.body)
          else expect(body.error.code).toBe('upstream_unavailable')
          await sleep(20)
        }
      }
      const killing = async () => {
        while (kills < wantedKills) {
          await sleep(150 + (kills % 10) * 100)
          const pid = engine.pid()
          if (pid === undefined) continue
          process.kill(pid, 'SIGKILL')
          kills++
        }
      }
      const imports: SmallImport[] = []
      const importing = async () => {
        while (kills < wantedKills) {
          const given = { ...newImport(`round ${imports.length}.ndjson`, posts(0, 1_000)), writeUrl }
          imports.push(given)
          // An import gives up after 43 s of retries, and goes on when it is run again.
          let result: Awaited<ReturnType<typeof importFile>> | undefined
          while (!result) {
            const startedAt = performance.now()
            result = await importFile(given).catch((error) => {
              if (!isTransient(error)) throw error
              expect(performance.now() - startedAt).toBeGreaterThan(40_000)
              return undefined
            })
          }
          expect(result).toMatchObject({ stored: reportsIn(0, 1_000), rejected: 0 })
        }
      }
      await Promise.all([load(), load(), killing(), importing()])
      expect([...statuses.keys()].sort()).toEqual([200, 503])
      // The last kill can come after the last import.
      await expect.poll(() => own.ping(), { timeout: 15_000 }).toBe(true)
      for (const given of imports) expect(await stored(given, own)).toEqual(complete(reportsIn(0, 1_000)))
      expect(await stored(steady, own)).toEqual(complete(reportsIn(0, 500)))
    } finally {
      await api.close()
      await own.close()
      await engine.end()
    }
  }, 600_000)
})
