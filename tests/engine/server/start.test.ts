import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { shopScenario } from '../../../fixtures/demo-scenarios.ts'
import { demoTenant } from '../../../fixtures/demo-tenants.ts'
import { reportTypeNames } from '../../../schema/report-types.ts'
import type { PciReport } from '../../../schema/responses/pci-report.ts'
import { pageExamples, runExample } from '../../support/page-examples.ts'
import { type SpawnedScript, spawnScript } from '../../support/spawn-script.ts'

const run = promisify(execFile)

let dataDir: string
const running: SpawnedScript[] = []

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'start-'))
})

afterAll(async () => {
  for (const { child } of running) child.kill('SIGKILL')
  await rm(dataDir, { recursive: true, force: true })
})

function start(environment: Readonly<Record<string, string>> = {}, script = 'app/start.ts'): SpawnedScript {
  const started = spawnScript(script, [], {
    DATA_DIR: dataDir,
    PORT: '0',
    COLLECTOR_PORT: '0',
    CLICKHOUSE_PORT: '0',
    ...environment,
  })
  running.push(started)
  return started
}

/** Runs the printed curl lines through a shell, as they would be pasted. */
async function pasteCurls(output: string): Promise<{ data: unknown }[]> {
  const lines = output.match(/^ {2}curl .*$/gm) ?? []
  return Promise.all(lines.map(async (line) => JSON.parse((await run('sh', ['-c', line])).stdout)))
}

/** Sends a violation of the page to its address for reports, as report-uri does. */
async function postFromTryPage(url: string): Promise<number> {
  const policy = (await fetch(url)).headers.get('Content-Security-Policy') ?? ''
  const [, reportPath = ''] = policy.match(/report-uri (\S+)/) ?? []
  const { status } = await fetch(new URL(reportPath, url), {
    method: 'POST',
    headers: { 'Content-Type': 'application/csp-report' },
    body: JSON.stringify({ 'csp-report': { 'document-uri': url, 'effective-directive': 'img-src' } }),
  })
  return status
}

describe('npm start', () => {
  let key: string
  let stored: string
  const count = async (output: string) =>
    (await run('sh', ['-c', /^ +(curl .*SELECT count\(\) FROM reports')$/m.exec(output)?.[1] ?? ''])).stdout

  test('loads the demo, prints curl lines that work, and stops clean', async () => {
    const first = start()
    await first.printed(/^ {2}curl .*pci-dss.*$/m)
    const ofCurl = { data: expect.anything() }
    await expect
      .poll(() => pasteCurls(first.output()))
      .toEqual(Array.from({ length: 6 }, () => expect.objectContaining(ofCurl)))
    key = (await first.printed(/Demo key\s+(\S+)/)).at(1) ?? ''
    const play = (await first.printed(/ClickHouse\s+(\S+)/)).at(1) ?? ''
    expect((await fetch(play)).status).toBe(200)
    const tryPage = (await first.printed(/Your own browser\s+(\S+)/)).at(1) ?? ''
    await expect.poll(() => postFromTryPage(tryPage)).toBe(204)

    const api = (await first.printed(/Security Reporting API\s+(\S+)/)).at(1) ?? ''
    const send = async (path: string) =>
      (await fetch(`${api}${path}`, { headers: { Authorization: `Bearer ${key}` } })).json()
    // As of a day within the demo's time, its records are there up to that day.
    const asOf = new Date(Date.now() - 20 * 86_400_000).toISOString()
    const { siteId } = shopScenario.fragileHost
    const report = await send(`/v1/compliance/pci-dss/report?${new URLSearchParams({ siteId, asOf })}`)
    const { evidence } = (report as { data: PciReport }).data
    const latest = evidence.changes[0]?.scannedAt ?? ''
    expect([evidence.pages.length, evidence.decisions.length, evidence.rules.length]).toEqual([2, 7, 5])
    expect([latest !== '' && latest < asOf, evidence.deliveries.length > 0]).toEqual([true, true])

    const payPage = (await first.printed(/Scanned page\s+(\S+)/)).at(1) ?? ''
    const scanned = [{ scanUrl: payPage, latestScan: { status: 'complete' } }]
    await expect.poll(() => send(`/v1/sites/${demoTenant.sites.at(-1)?.id}/pages`)).toMatchObject({ data: scanned })
    const [, scansOfPage = ''] = await first.printed(/^ +(curl .*\/scans.*)$/m)
    expect(JSON.parse((await run('sh', ['-c', scansOfPage])).stdout)).toMatchObject({ data: [{ status: 'complete' }] })
    const found = () => send('/v1/reports?documentHost=127.0.0.1')
    await expect.poll(found).toMatchObject({ data: [{ documentUrl: tryPage }] })
    stored = await count(first.output())
    expect(Number(stored)).toBeGreaterThan(100_000)
    const from = new Date(Date.now() - 30 * 86_400_000).toISOString()
    await expect
      .poll(() => send(`/v1/reports/types?from=${from}`))
      .toMatchObject({ data: reportTypeNames.map((reportType) => ({ reportType })) })

    first.child.kill('SIGINT')
    expect(await first.ended()).toBe(0)
    await expect(fetch(play)).rejects.toThrow()
  })

  test('starts again with its data, and responds to every question of questions.md as that page has it', async () => {
    const second = start()
    await second.printed(/^ {2}curl .*pci-dss.*$/m)
    expect(second.output()).toContain(key)
    expect(second.output()).not.toContain('Loading')
    expect(await count(second.output())).toBe(stored)
    const API = (await second.printed(/Security Reporting API\s+(\S+)/)).at(1) ?? ''
    const examples = pageExamples(new URL('../../../app/questions.md', import.meta.url))
    const environment = { API, KEY: key, SITE: shopScenario.fragileHost.siteId }
    for (const example of examples) expect(await runExample(example, environment)).toEqual(example)
    expect(examples.length).toBeGreaterThan(15)
    second.child.kill('SIGTERM')
    expect(await second.ended()).toBe(0)
    expect(second.output()).not.toMatch(/"err"/)
  })

  test('stores the demo keys and the passwords readable by the owner alone', async () => {
    for (const file of ['demo.json', 'reader.password', 'analyst.password', 'writer.password'])
      expect((await stat(join(dataDir, file))).mode & 0o077).toBe(0)
    expect(await readFile(join(dataDir, 'demo.json'), 'utf8')).toContain('srk_live_')
  })

  test('stops with one line that names a bad variable', async () => {
    const bad = start({ PORT: 'eighty' })
    expect(await bad.ended()).toBe(1)
    expect(bad.output()).toBe('PORT must be a port from 0 to 65535; 0 is any free port, not "eighty"\n')
  })
})

describe('npm run serve', () => {
  const servers = () => inject('servers')

  test('serves the API alone against CLICKHOUSE_URL and REDIS_URL, ready when both respond', async () => {
    const { readUrl, redisUrl } = servers()
    const serve = start({ CLICKHOUSE_URL: readUrl, REDIS_URL: redisUrl }, 'app/serve.ts')
    const url = (await serve.printed(/on (http\S+)/)).at(1) ?? ''
    const ready = async () => (await fetch(`${url}/readyz`)).json()
    await expect
      .poll(ready)
      .toEqual({ status: 'ok', checks: { engine: 'ok', budgets: 'ok', migrations: 'ok', parts: 'ok' } })
    expect((await fetch(`${url}/v1/me`)).status).toBe(401)
    serve.child.kill('SIGTERM')
    expect(await serve.ended()).toBe(0)
  })

  test('logs each request while it runs, and flushes the rest before it ends', async () => {
    const serve = start({ CLICKHOUSE_URL: servers().readUrl }, 'app/serve.ts')
    const url = (await serve.printed(/on (http\S+)/)).at(1) ?? ''
    const send = (requestId: string) => fetch(`${url}/v1/me`, { headers: { 'X-Request-Id': requestId } })
    await send('request-1')
    await serve.printed(/"requestId":"request-1"/)
    await send('request-2')
    serve.child.kill('SIGTERM')
    await serve.ended()
    expect(serve.output()).toContain('"requestId":"request-2"')
  })

  test('takes less than 250 MB for 4,000 hostile requests', async () => {
    const serve = start({ CLICKHOUSE_URL: servers().readUrl, LOG_LEVEL: 'silent' }, 'app/serve.ts')
    const url = (await serve.printed(/on (http\S+)/)).at(1) ?? ''
    const junk = (length: number) => randomBytes(length).toString('hex')
    const send = async (path: string, authorization: string) => {
      const request = () => fetch(url + path, { headers: { authorization } })
      // The program closes an idle connection at any moment.
      await (await request().catch(request)).arrayBuffer()
    }
    for (let round = 0; round < 40; round++) {
      const requests = Array.from({ length: 50 }, () => [
        send(`/${junk(4_000)}`, 'none'),
        send(`/v1/reports?cursor=${junk(500)}`, `Bearer ${junk(2_000)}`),
      ])
      await Promise.all(requests.flat())
    }
    const status = await readFile(`/proc/${serve.child.pid}/status`, 'utf8')
    expect(Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024).toBeLessThan(250)
    serve.child.kill('SIGTERM')
    await serve.ended()
  })

  test('names the user that it takes, as collector and worker do', async () => {
    const { readUrl, writeUrl, redisUrl } = servers()
    const wrong = { 'app/serve.ts': writeUrl, 'app/collect.ts': readUrl, 'app/work.ts': readUrl }
    for (const [file, CLICKHOUSE_URL] of Object.entries(wrong)) {
      const program = start({ CLICKHOUSE_URL, REDIS_URL: redisUrl }, file)
      expect(await program.ended()).toBe(1)
      expect(program.output()).toMatch(
        file === 'app/serve.ts'
          ? /^The user in CLICKHOUSE_URL can write: for the API, use the user "reader"/m
          : /^The user in CLICKHOUSE_URL cannot write: for the collector and the worker, use the user "writer"/m,
      )
    }
  })

  test('names CLICKHOUSE_URL when it is missing', async () => {
    const serve = start({}, 'app/serve.ts')
    expect(await serve.ended()).toBe(1)
    expect(serve.output()).toMatch(/^CLICKHOUSE_URL is required, .*\n$/)
  })

  test.each(['PORT', 'COLLECTOR_PORT'])(
    'npm start names a taken %s before it makes a data folder',
    async (variable) => {
      const blocker = createServer()
      await new Promise<void>((resolve) => blocker.listen(0, '127.0.0.1', resolve))
      const { port } = blocker.address() as { port: number }
      const unmade = join(dataDir, 'unmade')
      const started = start({ DATA_DIR: unmade, [variable]: String(port) })
      expect(await started.ended()).toBe(1)
      expect(started.output()).toBe(`Port ${port} on 127.0.0.1 is in use; set ${variable} to another port\n`)
      expect(existsSync(unmade)).toBe(false)
      blocker.close()
    },
  )

  test('names a port that is taken', async () => {
    const blocker = createServer()
    await new Promise<void>((resolve) => blocker.listen(0, '127.0.0.1', resolve))
    const { port } = blocker.address() as { port: number }
    const serve = start({ CLICKHOUSE_URL: servers().readUrl, PORT: String(port) }, 'app/serve.ts')
    expect(await serve.ended()).toBe(1)
    expect(serve.output()).toBe(`Port ${port} on 127.0.0.1 is in use; set PORT to another port\n`)
    blocker.close()
  })
})
