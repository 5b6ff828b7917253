import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { exportFormatNames } from '../../../schema/export-formats.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import type { TestEngine } from '../../support/engine.ts'
import { ensureInstalled } from '../../support/ensure-installed.ts'
import { freePort } from '../../support/free-port.ts'
import { startMigratedEngine } from '../../support/migrated-engine.ts'
import { connectPatiently } from '../../support/patience.ts'
import type { TestKey } from '../../support/tenants.ts'

/** About 90 MB of NDJSON: more than sockets and nginx hold. */
const [reportCount, sampleLength] = [60_000, 1_500]

/** With nginx' defaults, which speak HTTP/1.0 to the upstream in 1.22. */
describe('an export through nginx', () => {
  let engine: TestEngine
  let database: Database
  let api: TestApi
  let key: TestKey
  let nginx: ChildProcess
  let address: string
  const folder = mkdtempSync(join(tmpdir(), 'nginx-'))

  beforeAll(async () => {
    engine = await startMigratedEngine()
    const { reader: readUrl, writer: writeUrl } = engine.userUrls
    database = connectPatiently(writeUrl)
    api = await startApi({ readUrl, writeUrl })
    const tenantId = await api.createTenant()
    key = await api.createKey(tenantId)
    const columns = 'tenant_id, report_type, received_at, id, retention_days, weight, sample_rate, sample'
    const values = `'${tenantId}', 'csp-violation', now64(3) - number % 86400, generateUUIDv7(), 365, 1000000, 1`
    const sample = `randomPrintableASCII(${sampleLength})`
    await database.command(`INSERT INTO reports (${columns}) SELECT ${values}, ${sample} FROM numbers(${reportCount})`)
    const port = await freePort()
    address = `http://127.0.0.1:${port}/v1/reports/export`
    const config = join(folder, 'nginx.conf')
    writeFileSync(
      config,
      `daemon off; pid ${folder}/pid; error_log ${folder}/error.log; events {}
       http { access_log off; proxy_temp_path ${folder}/proxy; client_body_temp_path ${folder}/body;
         server { listen 127.0.0.1:${port}; location / { proxy_pass ${api.url}; } } }`,
    )
    nginx = spawn(ensureInstalled('nginx'), ['-p', folder, '-c', config])
  })

  afterAll(async () => {
    nginx?.kill()
    await api?.close()
    await database?.close()
    await engine?.end()
    rmSync(folder, { recursive: true, force: true })
  })

  const curl = (format: string, encoding: string) =>
    spawn('curl', [
      ...['--silent', '--fail', '--limit-rate', '5M', '--header', `Authorization: Bearer ${key.key}`],
      ...['--header', `Accept-Encoding: ${encoding}`, `${address}?format=${format}`],
    ])

  test.each(exportFormatNames.flatMap((format) => [[format, 'identity'] as const, [format, 'gzip'] as const]))(
    'that a killed engine cuts short ends with an error: %s, %s',
    async (format, encoding) => {
      const child = curl(format, encoding)
      await once(child.stdout, 'data')
      child.stdout.resume()
      process.kill(engine.pid() as number, 'SIGKILL')
      const [code] = await once(child, 'close')
      expect([18, 56, 92]).toContain(code)
      await expect.poll(() => database.ping()).toBe(true)
    },
  )
})
