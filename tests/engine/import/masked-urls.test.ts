import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cli } from '../../support/cli.ts'
import { startTestCollector, type TestCollector } from '../../support/collector.ts'
import { queryRows, type TestDatabase } from '../../support/database.ts'
import { createMigratedDatabase } from '../../support/migrated-database.ts'
import { plantedForeignLines, plantedPosts } from '../../support/planted-secrets.ts'

const hosts = ['*.example.test', '*.nel.test', 'partner.example.org.test', 'ads.adnet.test', 'shop.example.com']

/** A secret of each mode, which a number or a word cannot contain by chance. */
const secrets = { names: 'Qx7Visitor0fNames', paths: 'Qx7Visitor0fPaths', whole: 'Qx7Visitor0fWhole' }
type Mode = keyof typeof secrets
const modes = Object.keys(secrets) as Mode[]

let database: TestDatabase
let collector: TestCollector
const folder = mkdtempSync(join(tmpdir(), 'masked-urls-'))
const logged: string[] = []
/** Files of the collector's log while no block is sent. */
let segments = ''
let release = () => {}
const released = new Promise<void>((resolve) => {
  release = resolve
})

const environment = () => ({ CLICKHOUSE_URL: database.writeUrl })

async function done(...words: string[]) {
  const { code, stdout, stderr } = await cli(words, { environment: environment() })
  expect(code, stderr).toBe(0)
  logged.push(stderr)
  return JSON.parse(stdout)
}

beforeAll(async () => {
  database = await createMigratedDatabase()
  collector = await startTestCollector(environment(), {
    waits: false,
    log: pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) }),
    replace: (real) => ({
      insert: (...given) => released.then(() => real.insert(...given)),
    }),
  })
  for (const mode of modes) {
    const tenant = await collector.createTenant({ overrides: { retentionDays: 3_650 } })
    const words = ['--tenant', tenant, '--name', 'Shop', ...hosts.flatMap((host) => ['--host', host])]
    const { id, token } = await done('sites', 'create', ...words, ...(mode === 'names' ? [] : ['--urls', mode]))
    const posts = await plantedPosts(secrets[mode])
    for (const body of posts) expect((await collector.post(token, body)).status).toBe(204)
    const path = join(folder, `${mode}.ndjson`)
    writeFileSync(
      path,
      [...posts.map((body) => JSON.stringify(body)), ...plantedForeignLines(secrets[mode])].join('\n'),
    )
    const { rejected } = await done('import', 'reports', '--tenant', tenant, '--site', id, path)
    expect(rejected).toBe(0)
  }
  const files = readdirSync(collector.folder, { withFileTypes: true }).filter((file) => file.isFile())
  for (const { name } of files) segments += readFileSync(join(collector.folder, name), 'latin1')
  release()
  await collector.drained()
})

afterAll(async () => {
  await collector?.close()
  await database?.drop()
  rmSync(folder, { recursive: true })
})

const count = (text: string, secret: string) => text.split(secret).length - 1

/** Rows with the secret by column, searched without its text in a statement. */
async function found(secret: string): Promise<Record<string, number>> {
  const columns = await queryRows(
    database.writer,
    `SELECT table, name FROM system.columns WHERE database = currentDatabase() AND type LIKE '%String%'
      AND table IN (SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree')`,
  )
  const backwards = [...secret].toReversed().join('')
  const counts = columns.map(
    ([table, name]) =>
      `SELECT '${table}.${name}', countIf(position(toString(${name}), reverse('${backwards}')) > 0) FROM ${table}`,
  )
  const rows = await queryRows(database.writer, counts.join(' UNION ALL '))
  return Object.fromEntries(rows.filter(([, count]) => Number(count) > 0))
}

test('the same search finds the secrets of a site that stores URLs whole', async () => {
  const columns = Object.keys(await found(secrets.whole))
  const raw = ['document_url', 'referrer', 'request_url', 'blocked_url', 'message', 'stack', 'source_file']
  expect(columns).toEqual(expect.arrayContaining(raw.map((column) => `reports.${column}`)))
  expect(columns).toEqual(expect.arrayContaining(['reports_per_day_by_page.page']))
  expect(count(segments, secrets.whole)).toBeGreaterThan(100)
})

test.each(['names', 'paths'] as const)(
  'no table, log or segment has a secret of a site with the mode %s',
  async (mode) => {
    expect(await found(secrets[mode])).toEqual({})
    expect(count(segments, secrets[mode])).toBe(0)
    expect(logged.filter((line) => count(line, secrets[mode]) > 0)).toEqual([])
    const backwards = [...secrets[mode]].toReversed().join('')
    await database.writer.command('SYSTEM FLUSH LOGS').catch(() => undefined)
    const [[statements] = []] = await queryRows(
      database.writer,
      `SELECT countIf(position(query, reverse('${backwards}')) > 0) FROM system.query_log`,
    )
    expect(statements).toBe(0)
  },
)

test('the collector and the import store the same URLs', async () => {
  const columns =
    'tenant_id, report_type, document_url, blocked_url, referrer, request_url, source_file, message, stack'
  const counts = `SELECT ${columns}, count() AS stored FROM reports WHERE document_host LIKE '%.test' GROUP BY ALL`
  const rows = await queryRows(database.writer, `SELECT uniqExact(tenant_id), countIf(stored % 2 = 1) FROM (${counts})`)
  expect(rows).toEqual([[3, 0]])
})
