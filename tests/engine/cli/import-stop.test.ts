import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { checkRollups } from '../../../clickhouse/rollups/check-rollups.ts'
import { connect, type Database } from '../../../queries/clickhouse/client.ts'
import { cli, startCli } from '../../support/cli.ts'
import { queryRows } from '../../support/database.ts'
import { createTenantWriter, type TenantWriter } from '../../support/tenants.ts'

const folder = mkdtempSync(join(tmpdir(), 'cli-import-'))

let database: Database
let store: TenantWriter

beforeAll(() => {
  database = connect(inject('servers').writeUrl)
  store = createTenantWriter(database)
})

afterAll(async () => {
  await database?.close()
  rmSync(folder, { recursive: true })
})

const environment = () => ({ CLICKHOUSE_URL: inject('servers').writeUrl })
const importReports = (words: readonly string[], stdin?: string) =>
  cli(['import', 'reports', ...words], { environment: environment(), ...(stdin !== undefined && { stdin }) })

async function tenantWithSite(...hosts: string[]) {
  const tenantId = await store.createTenant()
  return { tenantId, siteId: await store.createSite(tenantId, { hosts }) }
}

const countOf = async (tenantId: string) =>
  Number((await queryRows(database, `SELECT count() FROM reports WHERE tenant_id = '${tenantId}'`))[0]?.[0])

/** A file in the test's folder. */
function write(name: string, lines: readonly string[]): string {
  const path = join(folder, name)
  writeFileSync(path, lines.map((line) => `${line}\n`).join(''))
  return path
}

const post = (url: string, sample = '') =>
  JSON.stringify([
    {
      age: 1,
      type: 'csp-violation',
      url,
      body: { documentURL: url, blockedURL: 'inline', effectiveDirective: 'script-src', sample },
    },
  ])

describe('a stopped import of reports', () => {
  test('an import stops at Ctrl-C after a batch, exits 2 and resumes there', async () => {
    const { tenantId } = await tenantWithSite('a.example')
    // Lines so long that 40 MB, more than one batch, are few reports.
    const lines = Array.from({ length: 700 }, (_, index) => post(`https://a.example/${index}`, 'x'.repeat(100_000)))
    const path = write('long.ndjson', lines)
    const run = startCli(['import', 'reports', '--tenant', tenantId, '-'], { environment: environment(), folder })
    run.stdin.write(
      lines
        .slice(0, 400)
        .map((line) => `${line}\n`)
        .join(''),
    )
    await expect.poll(() => countOf(tenantId), { timeout: 20_000, interval: 100 }).toBeGreaterThan(0)
    run.kill('SIGINT')
    const { code, stdout, stderr } = await run.ended
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('Run the same command again')
    const stored = await countOf(tenantId)
    expect(stored).toBeLessThan(lines.length)

    const again = await importReports(['--tenant', tenantId, path])
    expect(JSON.parse(again.stdout)).toMatchObject({ posts: lines.length, stored: lines.length, rejected: 0 })
    expect(await countOf(tenantId)).toBe(lines.length)
    expect(await checkRollups(database, { tenantId })).toMatchObject({ different: 0 })
  })

  test('an import stopped at a silent pipe first stores the whole lines that it read', async () => {
    const { tenantId } = await tenantWithSite('a.example')
    const lines = [post('https://a.example/1'), post('https://a.example/2'), post('https://a.example/3').slice(0, 50)]
    const run = startCli(['import', 'reports', '--tenant', tenantId, '-'], { environment: environment(), folder })
    run.stdin.write(lines.join('\n'))
    // A command starts within a second, and then waits for more.
    await sleep(4_000)
    expect(await countOf(tenantId)).toBe(0)
    run.kill('SIGTERM')
    const { code, stderr } = await run.ended
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('Run the same command again') })
    expect(await countOf(tenantId)).toBe(2)

    const whole = [...lines.slice(0, 2), post('https://a.example/3')].map((line) => `${line}\n`).join('')
    const again = await importReports(['--tenant', tenantId, '-'], whole)
    expect(JSON.parse(again.stdout)).toMatchObject({ posts: 3, stored: 3, rejected: 0 })
    expect(await countOf(tenantId)).toBe(3)
  })
})
