import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { checkRollups } from '../../../clickhouse/rollups/check-rollups.ts'
import { startCli } from '../../support/cli.ts'
import { queryRows } from '../../support/database.ts'
import { startMigratedEngine } from '../../support/migrated-engine.ts'
import { connectPatiently } from '../../support/patience.ts'
import { createTenantWriter } from '../../support/tenants.ts'

test('a followed file is stored once and whole while its engine is killed again and again', async () => {
  const engine = await startMigratedEngine()
  const { writer: writeUrl } = engine.userUrls
  const database = connectPatiently(writeUrl)
  const folder = mkdtempSync(join(tmpdir(), 'followed-outage-'))
  const path = join(folder, 'posts.ndjson')
  writeFileSync(path, '')
  try {
    const tenants = createTenantWriter(database)
    const tenantId = await tenants.createTenant()
    await tenants.createSite(tenantId, { hosts: ['a.test'] })
    const words = ['import', 'reports', '--tenant', tenantId, '--follow', path]
    const run = startCli(words, { environment: { CLICKHOUSE_URL: writeUrl }, folder })
    let lines = 0
    const writing = setInterval(() => {
      const report = { type: 'crash', url: `https://a.test/${++lines}`, body: { reason: 'oom' } }
      appendFileSync(path, `${JSON.stringify({ receivedAt: Date.now(), body: [report] })}\n`)
    }, 20)
    const stored = async (): Promise<number[]> => {
      const text = `SELECT count(), uniqExact(document_url) FROM reports WHERE tenant_id = '${tenantId}'`
      const rows = await queryRows(database, text).catch(() => [])
      return (rows[0] ?? []).map(Number)
    }
    const countStored = async () => (await stored())[0] ?? 0
    for (let kills = 0; kills < 3; kills++) {
      const before = await countStored()
      await expect.poll(countStored).toBeGreaterThan(before)
      await sleep(kills * 350)
      const pid = engine.pid()
      if (pid !== undefined) process.kill(pid, 'SIGKILL')
    }
    clearInterval(writing)
    await expect.poll(stored).toEqual([lines, lines])
    run.kill('SIGINT')
    const { code, stdout } = await run.ended
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, posts: lines, stored: lines, rejected: 0 })
    expect(await checkRollups(database, { tenantId })).toMatchObject({ different: 0 })
  } finally {
    await database.close()
    await engine.end()
    rmSync(folder, { recursive: true })
  }
})
