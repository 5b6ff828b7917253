import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadDemo } from '../../../app/demo/load-demo.ts'
import { readSavedQueries } from '../../../clickhouse/saved-queries/saved-queries.ts'
import { demoScenarios, shopScenario } from '../../../fixtures/demo-scenarios.ts'
import { dayMs, hourMs } from '../../../schema/durations.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { cli } from '../../support/cli.ts'
import { startTestEngine, type TestEngine } from '../../support/engine.ts'
import { startMigratedEngine } from '../../support/migrated-engine.ts'
import { connectPatiently } from '../../support/patience.ts'

const requestId = 'saved-queries-1'
const { tenant } = shopScenario
const queries = await readSavedQueries()

let engine: TestEngine
let api: TestApi
let issue: { id: string; reportCount: number; affectedPages: number; firstSeen: string }

beforeAll(async () => {
  engine = await startMigratedEngine()
  const writer = connectPatiently(engine.userUrls.writer)
  const [key] = await loadDemo(writer, engine.dataDir)
  await writer.close()
  api = await startApi({ readUrl: engine.userUrls.reader, writeUrl: engine.userUrls.writer })
  const headers = { 'X-Request-Id': requestId }
  const { body } = await api.get('/v1/issues?limit=200', { key, headers })
  // All pages of it are listed, and none of its reports leaves the window meanwhile.
  const isWhole = ({ affectedPages, firstSeen }: typeof issue) =>
    affectedPages > 2 && affectedPages < 100 && Date.parse(firstSeen) > Date.now() - 7 * dayMs + hourMs
  issue = body.data.find(isWhole)
})

afterAll(async () => {
  await api?.close()
  await engine?.end()
})

/** Settings of an engine that writes no query log. */
const config = new URL('../../../clickhouse/engine/config.xml', import.meta.url)
const withoutQueryLog = readFileSync(config, 'utf8')
  .replace(/<query_log>.*<\/query_log>/s, '')
  .replace('../server/users.xml', fileURLToPath(new URL('../server/users.xml', config)))

const sql = (...words: string[]) => cli(['sql', ...words], { environment: { CLICKHOUSE_URL: engine.userUrls.analyst } })

/** Rows of a saved query by the names of its columns. */
async function rowsOf(...words: string[]): Promise<Record<string, unknown>[]> {
  const { code, stdout, stderr } = await sql('--saved', '--format', 'JSONEachRow', ...words)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

const required: Readonly<Record<string, () => string>> = {
  issue: () => issue.id,
  request: () => requestId,
}

/** The captured posts, which have the new hosts, are up to a day old at the load, and older when the query runs. */
const wider = (name: string) => (name === 'new-blocked-hosts' ? ['--param', 'days=2'] : [])

test.each(queries)('$name has rows over the demo, as the analyst: $question', async ({ name, parameters }) => {
  const given = parameters.filter(({ fallback }) => fallback === undefined)
  const words = given.flatMap((parameter) => ['--param', `${parameter.name}=${required[parameter.name]?.()}`])
  // The query log is written each second.
  await expect.poll(async () => (await rowsOf(name, ...words, ...wider(name))).length).toBeGreaterThan(0)
})

describe('a saved query', () => {
  const ofTenants = queries.filter(
    ({ parameters }) =>
      parameters.some(({ name }) => name === 'tenant') && parameters.every(({ fallback }) => fallback !== undefined),
  )

  test.each(ofTenants)('$name is of one tenant with --param tenant, and of all without', async ({ name }) => {
    const names = async (...words: string[]) =>
      new Set((await rowsOf(name, ...words, ...wider(name))).map((row) => row.tenant_name))
    expect([...(await names('--param', `tenant=${tenant.id}`))]).toEqual([tenant.name])
    expect(demoScenarios.map((scenario) => scenario.tenant.name)).toEqual(expect.arrayContaining([...(await names())]))
    expect(await rowsOf(name, '--param', 'tenant=00000000-0000-4000-8000-000000000000')).toEqual([])
  })

  test('leads from a request to its SQL, rollup and cost, and back', async () => {
    const statements = await rowsOf('request-statements', '--param', `request=${requestId}`)
    const details = statements.find((row) => row.query_name === 'listIssueDetails')
    expect(details).toMatchObject({ operation: 'issues.list', tenant_id: tenant.id, exception: '' })
    expect(details?.tables).toContain('reports_per_day_by_issue')
    expect(Number(details?.read_rows)).toBeGreaterThan(0)
    // The logged statement has its values, and runs as it is.
    expect((await sql(String(details?.statement))).code).toBe(0)
    const operations = await rowsOf('slowest-operations')
    expect(operations.find((row) => row.query_name === 'listIssueDetails')).toMatchObject({
      operation: 'issues.list',
      slowest_request: requestId,
    })
  })

  test('counts what the API counts', async () => {
    const pages = await rowsOf('issue-pages', '--param', `issue=${issue.id}`, '--param', 'days=7')
    expect(pages).toHaveLength(issue.affectedPages)
    expect(pages.reduce((sum, row) => sum + Number(row.reports), 0)).toBe(issue.reportCount)
    expect(new Set(pages.map((row) => row.site_name)).size).toBe(1)
  })

  test('prints the names of its columns into a pipe', async () => {
    const { stdout } = await sql('--saved', 'table-sizes')
    expect(stdout.split('\n')[0]).toBe('table\trows\ton_disk\tcompression\tparts\tpartitions\twritten_at')
  })

  test('takes a value as a value, whatever it holds', async () => {
    for (const hostile of ["' OR 1 = 1 --", '{hours:UInt32}', '\\', 'a\tb', '%']) {
      expect(await rowsOf('request-statements', '--param', `request=${hostile}`)).toEqual([])
    }
  })

  test.each([
    [['--saved', 'burst'], /^There is no saved query "burst"; the saved queries are bursts, /],
    [['--saved', 'bursts', '--param', 'x=1'], /^bursts has no parameter "x"; allowed: tenant, hours\n$/],
    [['--saved', 'issue-pages'], /^issue-pages needs --param issue=VALUE: /],
    [['--saved', 'bursts', '--param', 'hours=soon'], /soon cannot be parsed as UInt32 for query parameter 'hours'/],
    [['--saved', 'bursts', '--param', 'hours=1', '--param', 'hours=2'], /^--param hours is given more than once\n$/],
    [['--saved', 'bursts', '--param', 'hours'], /^--param must be NAME=VALUE/],
    [[], /^missing required argument 'STATEMENT'/],
  ])('%j exits 2 with one line', async (words, line) => {
    const { code, stdout, stderr } = await sql(...words)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(line)
    expect(stderr).toMatch(/^[^\n]+\n$/)
  })
})

test('--saved lists every query with its question and parameters', async () => {
  const { code, stdout } = await cli(['sql', '--saved'])
  expect(code).toBe(0)
  expect(queries.length).toBeGreaterThanOrEqual(12)
  for (const { name, question, parameters } of queries) {
    expect(stdout).toContain(`${name}\n    ${question}\n`)
    for (const parameter of parameters)
      expect(stdout).toContain(`    --param ${parameter.name}=VALUE  ${parameter.about} (`)
  }
})

test('a statement takes parameters too', async () => {
  expect(await sql('--param', 'n=4', '--param', "s=it's = 1", 'SELECT {n:UInt8} + 1, {s:String}')).toMatchObject({
    stdout: "5\tit\\'s = 1\n",
  })
})

test('without a query log, one line names the other ways to the statements', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'without-log-'))
  const configFile = join(dataDir, 'config.xml')
  writeFileSync(configFile, withoutQueryLog)
  const fresh = await startTestEngine({ dataDir, configFile })
  try {
    const environment = { CLICKHOUSE_URL: fresh.userUrls.analyst }
    const { code, stdout, stderr } = await cli(['sql', '--saved', 'slowest-operations'], { environment })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^ClickHouse has no query log yet\. .*LOG_LEVEL=debug .*"explain" [^\n]*\n$/)
  } finally {
    await fresh.end()
  }
})
