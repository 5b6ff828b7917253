import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { withLease } from '../../../app/program/lease.ts'
import { underLease } from '../../../app/worker/under-lease.ts'
import { checkRollups } from '../../../clickhouse/rollups/check-rollups.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { insertRows } from '../../../queries/clickhouse/insert-rows.ts'
import { render } from '../../../queries/sql/sql.ts'
import { cli, startCli } from '../../support/cli.ts'
import { queryRows } from '../../support/database.ts'
import { connectPatiently } from '../../support/patience.ts'
import { createTenantWriter } from '../../support/tenants.ts'

const folder = mkdtempSync(join(tmpdir(), 'import-lease-'))
const path = join(folder, 'posts.ndjson')
const reports = 3_000
const environment = () => ({ CLICKHOUSE_URL: inject('servers').writeUrl })
let database: Database

beforeAll(() => {
  database = connectPatiently(inject('servers').writeUrl)
  const post = (index: number) => [{ type: 'crash', url: `https://a.test/${index}`, body: { reason: 'oom' } }]
  writeFileSync(path, Array.from({ length: reports }, (_, index) => `${JSON.stringify(post(index))}\n`).join(''))
})

afterAll(async () => {
  await database?.close()
  rmSync(folder, { recursive: true })
})

async function newTenant(): Promise<string> {
  const store = createTenantWriter(database)
  const tenantId = await store.createTenant()
  await store.createSite(tenantId, { hosts: ['a.test'] })
  return tenantId
}

function newEvent() {
  let happen = () => {}
  const happened = new Promise<void>((resolve) => {
    happen = resolve
  })
  return { happened, happen: () => happen() }
}

const importing = (tenantId: string, ...words: string[]) => ['import', 'reports', '--tenant', tenantId, ...words]

test('a file without receivedAt imported by three at once is stored once, with one time', async () => {
  const tenantId = await newTenant()
  const runs = await Promise.all(
    [1, 2, 3].map(() => startCli(importing(tenantId, path), { environment: environment() }).ended),
  )
  for (const { code, stdout } of runs) {
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, reports, stored: reports, rejected: 0 })
  }
  const waited = runs.filter(({ stderr }) => stderr.includes('Waiting for the import of tenant'))
  expect(waited.length).toBeGreaterThan(0)
  for (const { stderr } of waited)
    expect(stderr).toMatch(new RegExp(`^Waiting for .* ${tenantId} by process \\d+ on .*\\n$`))
  const columns = 'count(), uniqExact(id), uniqExact(received_at)'
  const rows = await queryRows(database, `SELECT ${columns} FROM reports WHERE tenant_id = '${tenantId}'`)
  expect(rows[0]?.map(Number)).toEqual([reports, reports, 1])
  expect(await checkRollups(database, { tenantId })).toMatchObject({ different: 0 })
})

test('an import with --no-wait fails while another runs, and leaves its rejected file', async () => {
  const tenantId = await newTenant()
  const rejected = `${path}.rejected.ndjson`
  writeFileSync(rejected, 'of the first import')
  await withLease({ database, leaseId: tenantId, kind: 'import', onWait: () => {} }, async () => {
    const { code, stdout, stderr } = await cli(importing(tenantId, '--no-wait', path), { environment: environment() })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(
      new RegExp(`^The import of tenant ${tenantId} by process ${process.pid} on .* is running.*\\n$`),
    )
    expect(existsSync(rejected)).toBe(true)
  })
  expect((await cli(importing(tenantId, '--no-wait', path), { environment: environment() })).code).toBe(0)
})

test('an import of another tenant does not wait', async () => {
  const [tenantId, otherId] = [await newTenant(), await newTenant()]
  await withLease({ database, leaseId: tenantId, kind: 'import', onWait: () => {} }, async () => {
    expect((await cli(importing(otherId, '--no-wait', path), { environment: environment() })).code).toBe(0)
  })
})

test('claims at once hold the lease one after another', async () => {
  const tenantId = randomUUID()
  let holders = 0
  let most = 0
  const claim = () =>
    withLease({ database, leaseId: tenantId, kind: 'import', onWait: () => {} }, async (checkLease) => {
      most = Math.max(most, ++holders)
      await checkLease()
      await sleep(20)
      holders--
    })
  await Promise.all(Array.from({ length: 8 }, claim))
  expect({ most, holders }).toEqual({ most: 1, holders: 0 })
})

test('an import waits for half a minute without renewal', async () => {
  const values: unknown[] = []
  const asked: Pick<Database, 'read' | 'insert'> = {
    insert: database.insert,
    read(query, options) {
      values.push(...Object.values(render(query.statement).params))
      return database.read(query, options)
    },
  }
  const tenantId = randomUUID()
  await withLease({ database: asked, leaseId: tenantId, kind: 'import', onWait: () => {} }, async () => {})
  expect(values).toContain('30000')
})

test('a lease that is not renewed is taken over, and its holder fails at its next check', async () => {
  const tenantId = randomUUID()
  const options = { database, leaseId: tenantId, kind: 'import' as const, expiresAfterMs: 2_000, onWait: () => {} }
  const [held, takenOver] = [newEvent(), newEvent()]
  const dead = withLease({ ...options, renewEveryMs: 3_600_000 }, async (checkLease) => {
    held.happen()
    await takenOver.happened
    await checkLease()
  })
  dead.catch(() => {})
  await held.happened
  await withLease(options, async () => takenOver.happen())
  await expect(dead).rejects.toThrow('Another import of the tenant took over')
})

test('a lease that is renewed is not taken over', async () => {
  const tenantId = randomUUID()
  // A busy machine has five seconds for one of fifty renewals.
  const options = {
    database,
    leaseId: tenantId,
    kind: 'import' as const,
    expiresAfterMs: 5_000,
    renewEveryMs: 100,
    onWait: () => {},
  }
  let ended = false
  const held = newEvent()
  const holding = withLease(options, async (checkLease) => {
    held.happen()
    await sleep(6_000)
    await checkLease()
    ended = true
  })
  await held.happened
  await withLease(options, async () => expect(ended).toBe(true))
  await holding
})

test('a process does not wait for a lease of its own that it failed to release', async () => {
  const waits: string[] = []
  let fails = false
  const failing: Pick<Database, 'read' | 'insert'> = {
    read: database.read,
    insert: (...given) => (fails ? Promise.reject(new Error('ClickHouse is away')) : database.insert(...given)),
  }
  const options = {
    leaseId: randomUUID(),
    kind: 'import' as const,
    renewEveryMs: 3_600_000,
    onWait: (holder: string) => void waits.push(holder),
  }
  await withLease({ ...options, database: failing }, async () => {
    fails = true
  })
  await withLease({ ...options, database }, async () => {})
  expect(waits).toEqual([])
})

test('a deletion by an older release, which wrote no kind, ends an import', async () => {
  const tenantId = await newTenant()
  const lease = { tenant_id: tenantId, generation: 1, id: randomUUID(), holder: 'deletion by process 7 on host' }
  await insertRows(database, 'import_leases', [{ ...lease, released: false }])
  const imported = withLease({ database, leaseId: tenantId, kind: 'import', onWait: () => {} }, async () => {})
  await expect(imported).rejects.toThrow(/is being deleted by/)
})

test('a worker that waited logs that it took over', async () => {
  const lines: string[] = []
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line).msg) })
  const [held, ends, stopping] = [newEvent(), newEvent(), new AbortController()]
  const leaseId = randomUUID()
  const holding = withLease({ database, leaseId, kind: 'loop', onWait: () => {} }, () => {
    held.happen()
    return ends.happened
  })
  await held.happened
  const passes = {
    database,
    leaseId,
    lease: { pollMs: 20 },
    lookEveryMs: 10,
    stopping: stopping.signal,
    log,
    name: 'Scans',
  }
  const waiting = underLease(passes, async () => stopping.abort())
  await expect.poll(() => lines).toEqual(['Scans: another worker is active; this worker waits'])
  ends.happen()
  await Promise.all([holding, waiting])
  expect(lines.slice(1)).toEqual(['Scans: this worker took over'])
})
