import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { scans } from '../../../app/import/records/types/scans.ts'
import { fetches, scannedScript } from '../../../fixtures/scanned-scripts.ts'
import { completeScan } from '../../../fixtures/scans.ts'
import { evidenceHash } from '../../../schema/rules/pci/evidence-hash.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { cli } from '../../support/cli.ts'
import { aSighting } from '../../support/contract.ts'
import { ready, scenarioRecords } from '../../support/pci-scenarios.ts'
import { createPciTenants } from '../../support/pci-tenants.ts'

let api: TestApi
let folder: string
let target: string[]
let pageSite: readonly [tenantId: string, siteId: string]

beforeAll(async () => {
  api = await startApi()
  folder = await mkdtemp(join(tmpdir(), 'pci-'))
  const make = (tenantId: string, [siteId = '']: readonly string[]) => {
    target = ['--tenant', tenantId, '--site', siteId]
    pageSite = [tenantId, siteId]
    return scenarioRecords(ready, { tenantId, siteId, now: Date.now() })
  }
  await createPciTenants(api, [{ plan: 'business', siteNames: ['Shop'], make }])
})

afterAll(() => api?.close())

const path = (name: string) => join(folder, name)

async function run(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = { CLICKHOUSE_URL: inject('servers').writeUrl },
) {
  const { code, stdout, stderr } = await cli(args, { environment })
  return { exitCode: code, result: stdout === '' ? undefined : JSON.parse(stdout), stderr }
}

const write = (name: string, ...options: string[]) => run(['pci', 'report', ...target, '--out', path(name), ...options])

test('a report is written, is as the database has it, and is never overwritten', async () => {
  const { result, exitCode } = await write('now.json')
  expect([exitCode, result]).toEqual([
    0,
    { file: path('now.json'), asOf: expect.any(String), evidenceHash: expect.any(String) },
  ])
  const verified = await run(['pci', 'verify', path('now.json')])
  expect([verified.exitCode, verified.result]).toEqual([0, { ...result, verified: true, changed: {} }])
  const again = await write('now.json')
  expect(again.exitCode).toBe(2)
  expect(again.stderr).toContain('already exists: choose another name for --out')
})

test('what changed since is counted, and the report of its time stays verified', async () => {
  const { result } = await write('before.json')
  await api.insertMonitoredPage(...pageSite, 'https://shop.example.test/other')
  await run(['sites', 'update', ...target, '--name', 'Renamed'])
  const verified = await run(['pci', 'verify', path('before.json')])
  expect(verified.result).toEqual({
    ...result,
    verified: true,
    changed: { site: { added: 0, changed: 1, removed: 0 } },
  })
})

test('a forgotten script is in no later report, and the report of an earlier time stays verified', async () => {
  const [tenantId, siteId] = pageSite
  const url = 'https://forged.example.test/x.js'
  const hash = `sha256-${'B'.repeat(43)}=`
  const receivedAt = Date.now() - 60_000
  const seen = { tenantId, siteId, documentUrl: 'https://shop.example.test/checkout', scriptUrl: url }
  await api.insertReports([
    aSighting({ ...seen, receivedAt }),
    aSighting({ ...seen, scriptHash: hash, reportedHash: hash, receivedAt: receivedAt + 1 }),
  ])
  const { result } = await write('seen.json')
  expect(await readFile(path('seen.json'), 'utf8')).toContain(url)
  const forget = (of: readonly string[], what: string) => {
    const why = ['--by', 'ada@example.com', '--reason', 'Forged reports']
    return run(['scripts', 'forget', ...of, '--url', what, ...why])
  }
  const [foreignId = ''] = await api.createSites(await api.createTenant(), 1)
  const foreign = await forget(['--tenant', tenantId, '--site', foreignId], url)
  expect([foreign.exitCode, foreign.stderr]).toEqual([2, `The tenant has no site ${foreignId}\n`])
  const unknown = 'The site has no such script: see "scripts list"\n'
  expect((await forget(target, 'https://forged.example.test/y.js')).stderr).toBe(unknown)
  expect(await forget(target, `${url}?v=2`)).toMatchObject({ exitCode: 0, result: { url, versions: 2 } })
  expect((await forget(target, url)).stderr).toBe(unknown)
  expect((await run(['pci', 'verify', path('seen.json')])).result).toEqual({ ...result, verified: true, changed: {} })
  await write('seen-again.json', '--as-of', result.asOf)
  const evidenceIn = async (name: string) => JSON.parse(await readFile(path(name), 'utf8')).data.evidence
  expect(await evidenceIn('seen-again.json')).toEqual(await evidenceIn('seen.json'))
  await write('forgotten.json')
  expect(await readFile(path('forgotten.json'), 'utf8')).not.toContain(url)
  const { result: log } = await run(['reports', 'deletions', '--tenant', tenantId])
  const logged = { by: 'ada@example.com', reason: 'Forged reports', filters: ['siteId', 'scriptUrl'], sightings: 2 }
  expect(log.deletions).toMatchObject([{ ...logged, reports: {}, finishedAt: expect.any(String) }])
})

test('a script that a scan or a decision has is not forgotten', async () => {
  const why = ['--by', 'ada@example.com', '--reason', 'x']
  const forget = (url: string) => run(['scripts', 'forget', ...target, '--url', url, ...why])
  const { exitCode, stderr } = await forget('https://shop.example.test/js/app.js')
  expect([exitCode, stderr]).toEqual([
    2,
    expect.stringMatching(/^The decision [-0-9a-f]{36} has the script, which cannot be forgotten\n$/),
  ])
  const [tenantId, siteId] = pageSite
  const scanned = 'https://forged.example.test/scanned.js'
  await api.insertReports([aSighting({ tenantId, siteId, scriptUrl: scanned })])
  const pageId = await api.insertMonitoredPage(...pageSite, 'https://shop.example.test/scanned')
  const id = randomUUID()
  const scripts = [scannedScript(scanned, fetches.readable)]
  await api.importRecords(tenantId, scans, [
    completeScan({ id, pageId, scannedAt: new Date(Date.now() - 60_000).toISOString(), scripts }),
  ])
  expect((await forget(scanned)).stderr).toBe(`The scan ${id} has the script, which cannot be forgotten\n`)
})

const inFile = (report: object) => `${JSON.stringify(report, null, 2)}\n`

test('a file that was changed is not verified, with its old hash or with a new one', async () => {
  await write('true.json')
  const { data } = JSON.parse(await readFile(path('true.json'), 'utf8'))
  const pages = data.evidence.pages.slice(1)
  await writeFile(path('short.json'), inFile({ data: { ...data, evidence: { ...data.evidence, pages } } }))
  const short = await run(['pci', 'verify', path('short.json')])
  expect([short.exitCode, short.result.verified]).toEqual([1, false])
  expect(short.stderr).toContain('was changed: its hash is not evidenceHash')

  const forged = { ...data.evidence, pages }
  await writeFile(path('forged.json'), inFile({ data: { evidence: forged, evidenceHash: evidenceHash(forged) } }))
  const found = await run(['pci', 'verify', path('forged.json')])
  expect([found.exitCode, found.result.verified]).toEqual([1, false])
  expect(found.stderr).toContain('The database has another hash')
})

test('what has no hash is compared with the database, and a name that stands twice is refused', async () => {
  await write('whole.json')
  const text = await readFile(path('whole.json'), 'utf8')
  const { data } = JSON.parse(text)
  const requirements = data.requirements.map((one: object) => ({ ...one, status: 'not_met', gaps: [] }))
  await writeFile(path('judged.json'), inFile({ data: { ...data, requirements, limits: [] } }))
  const judged = await run(['pci', 'verify', path('judged.json')])
  expect([judged.exitCode, judged.result]).toMatchObject([
    1,
    { verified: false, differing: ['limits', 'requirement 6.4.3', 'requirement 11.6.1'] },
  ])
  expect(judged.stderr).toContain('does not match the database')
  const tampered: readonly (readonly [object, string])[] = [
    [{ ...data, generatedAt: '1999-01-01T00:00:00Z' }, 'generatedAt'],
    [{ ...data, generatedAt: undefined }, 'generatedAt'],
    [{ ...data, watchedPageIds: [] }, 'watchedPageIds'],
    [{ ...data, approvedBy: 'QSA' }, 'approvedBy'],
    [{ ...data, approvedBy: null }, 'approvedBy'],
    [{ ...data, requirements: data.requirements.slice(1) }, 'requirements'],
  ]
  for (const [index, [changed, part]] of tampered.entries()) {
    await writeFile(path(`tampered-${index}.json`), inFile({ data: changed }))
    const found = await run(['pci', 'verify', path(`tampered-${index}.json`)])
    expect([found.exitCode, found.result.verified, found.result.differing]).toEqual([
      1,
      false,
      expect.arrayContaining([part]),
    ])
  }
  const observed = { ...data.observed, scripts: [] }
  await writeFile(path('observed.json'), inFile({ data: { ...data, observed } }))
  const unsure = await run(['pci', 'verify', path('observed.json')])
  expect([unsure.exitCode, unsure.result]).toMatchObject([
    1,
    { verified: false, evidence: true, differing: ['observed'] },
  ])
  expect(unsure.stderr).toContain('arrived or were deleted since then, or the file was changed')
  // As a file has it that was written when retention reached back further.
  const window = { ...data.observed.window, from: '2020-01-01T00:00:00.000Z' }
  await writeFile(path('past-retention.json'), inFile({ data: { ...data, observed: { ...observed, window } } }))
  const past = await run(['pci', 'verify', path('past-retention.json')])
  expect([past.exitCode, past.result]).toMatchObject([0, { verified: true, differing: ['observed'] }])
  expect(past.stderr).toContain('retention has removed browser reports since then')
  const judgedPast = { ...data, requirements, observed: { ...observed, window } }
  await writeFile(path('judged-past.json'), inFile({ data: judgedPast }))
  expect((await run(['pci', 'verify', path('judged-past.json')])).exitCode).toBe(1)
  await writeFile(
    path('proto.json'),
    text.replace('"evidence": {', '"evidence": {\n      "__proto__": { "approved": true },'),
  )
  expect((await run(['pci', 'verify', path('proto.json')])).stderr).toContain(
    'was changed: its hash is not evidenceHash',
  )
  // As the API responds.
  await writeFile(path('compact.json'), JSON.stringify({ data }))
  expect((await run(['pci', 'verify', path('compact.json')])).result.verified).toBe(true)
  await writeFile(path('twice.json'), text.replace('"data": {', '"data": {\n    "evidence": {},'))
  expect((await run(['pci', 'verify', path('twice.json')])).stderr).toContain('has duplicate keys')
  expect((await run(['pci', 'verify', path('whole.json')])).result.verified).toBe(true)
})

test('a page and a table are written by the end of their name', async () => {
  await write('page.html')
  expect(await readFile(path('page.html'), 'utf8')).toMatch(/^<!doctype html>/)
  await write('table.csv', '--table', 'scripts')
  expect(await readFile(path('table.csv'), 'utf8')).toMatch(/^url,status,/)
  expect((await write('other.csv')).stderr).toContain('Use --table scripts or --table changes with a .csv')
})

test('a date is its 00:00 UTC, and a file of another kind is refused', async () => {
  expect((await write('past.json', '--as-of', '2020-02-01')).stderr).toContain('asOf must not be before the site')
  expect((await write('wrong.json', '--as-of', '2020-02-31')).stderr).toContain('--as-of')
  await writeFile(path('wrong.txt'), 'no JSON')
  expect((await run(['pci', 'verify', path('wrong.txt')])).stderr).toContain('is not a JSON report')
  expect((await write('none/such.json')).stderr).toContain(`There is no folder ${path('none')}: create it`)
})

test('a key at an API writes the same report as the database, and verifies it', async () => {
  const environment = { API_KEY: (await api.createKey(pageSite[0])).key }
  const options = ['--api', api.url, '--site', pageSite[1], '--out', path('http.json')]
  const written = await run(['pci', 'report', ...options], environment)
  expect(written.exitCode).toBe(0)
  const overHttp = await run(['pci', 'verify', '--api', api.url, path('http.json')], environment)
  expect([overHttp.exitCode, overHttp.result]).toEqual([0, { ...written.result, verified: true, changed: {} }])
  expect((await run(['pci', 'verify', path('http.json')])).result).toEqual(overHttp.result)
})

test('the report of a site or a tenant that is not stored here is told as such', async () => {
  await write('gone.json')
  const { data } = JSON.parse(await readFile(path('gone.json'), 'utf8'))
  for (const part of ['site', 'tenant']) {
    const elsewhere = { ...data.evidence, [part]: { ...data.evidence[part], id: randomUUID() } }
    await writeFile(
      path(`${part}.json`),
      inFile({ data: { ...data, evidence: elsewhere, evidenceHash: evidenceHash(elsewhere) } }),
    )
    const found = await run(['pci', 'verify', path(`${part}.json`)])
    expect([found.exitCode, found.result.verified]).toEqual([1, false])
    expect(found.stderr).toContain(
      'this database does not have its site, because it was deleted or is in another database',
    )
  }
})
