import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { scans } from '../../../app/import/records/types/scans.ts'
import { fetches, scannedScript } from '../../../fixtures/scanned-scripts.ts'
import { completeScan } from '../../../fixtures/scans.ts'
import { seeded } from '../../../fixtures/seeded.ts'
import { createAlertWorld } from '../../support/alert-world.ts'
import { makeCertificate } from '../../support/certificate.ts'
import { startConnectProxy } from '../../support/connect-proxy.ts'
import { queryRows } from '../../support/database.ts'
import { hashOf, packageFiles, vulnerabilities } from '../../support/library-sources.ts'
import { spawnScript } from '../../support/spawn-script.ts'
import { startWebServer } from '../../support/web-server.ts'

const wantedKills = Number(process.env.LIBRARY_KILLS ?? 6)
const random = seeded(Number(process.env.LIBRARY_KILLS_SEED ?? 1))
const packages = {
  'jquery@3.4.1': { 'dist/jquery.min.js': 'jquery 3.4.1', 'dist/jquery.js': 'long' },
  'jquery@3.5.0': { 'dist/jquery.min.js': 'jquery 3.5.0' },
}

test('a worker that is killed between a response and its record requests again, and stores all of a response or nothing', async () => {
  const world = await createAlertWorld()
  onTestFinished(() => world.close())
  const { key, cert } = makeCertificate(['data.jsdelivr.com', 'api.osv.dev'])
  const requests: (string | undefined)[] = []
  let answer = () => {}
  const sources = await startWebServer(
    () => {},
    createServer({ key, cert }, ({ url }, response) => {
      requests.push(url)
      const release = url?.split('/npm/')[1]?.split('?')[0] as keyof typeof packages | undefined
      const body = release ? packageFiles(release, packages[release]) : { vulns: vulnerabilities.jquery }
      response.end(JSON.stringify(body), () => answer())
    }),
  )
  const proxy = await startConnectProxy(() => sources.port)
  onTestFinished(async () => void (await Promise.all([sources.close(), proxy.close()])))

  const shop = await world.createShop()
  const src = 'https://cdn.jsdelivr.net/npm/jquery@3.4.1/dist/jquery.min.js'
  const scripts = [{ ...scannedScript(src, fetches.readable), hash: hashOf('jquery 3.4.1') }]
  const scannedAt = new Date(Date.now() - 60_000).toISOString()
  const scan = completeScan({ id: randomUUID(), pageId: shop.pageId, scannedAt, scripts })
  await world.api.importRecords(shop.tenantId, scans, [scan])

  const dataDir = await mkdtemp(join(tmpdir(), 'library-kills-'))
  await writeFile(join(dataDir, 'ca.pem'), cert)
  const { writeUrl, writer } = world.database
  const own = { writeUrl, dataDir, tenantId: shop.tenantId, intervalMs: 3_600_000, leaseMs: 500 }
  const startWorker = () =>
    spawnScript('tests/support/own-worker.ts', [JSON.stringify(own)], {
      LIBRARY_PROXY_URL: proxy.origin,
      NODE_EXTRA_CA_CERTS: join(dataDir, 'ca.pem'),
    })
  const stored = async () => {
    const files = await queryRows(writer, 'SELECT release, count() FROM library_files FINAL GROUP BY ALL ORDER BY ALL')
    const advisories = await queryRows(writer, 'SELECT name, JSONLength(advisories) FROM library_advisories FINAL')
    return { files: files.map(String), advisories: advisories.map(String) }
  }
  const all = { files: ['3.4.1,2', '3.5.0,1'], advisories: ['jquery,2'] }

  for (let kill = 0; kill < wantedKills; kill++) {
    // Of a response that a worker has not had since its start: files of 3.4.1, advisories, files of 3.5.0.
    let answersBefore = kill % 3
    const { child } = startWorker()
    await new Promise<void>((resolve) => {
      answer = () => {
        if (answersBefore-- === 0) resolve()
      }
    })
    await sleep(random.below(20))
    child.kill('SIGKILL')
    await once(child, 'exit')
    const { files, advisories } = await stored()
    for (const one of files) expect(all.files).toContain(one)
    expect(advisories.length).toBeLessThanOrEqual(1)
    for (const table of ['library_files', 'library_advisories']) await writer.command(`TRUNCATE TABLE ${table}`)
  }

  answer = () => {}
  requests.length = 0
  const { child } = startWorker()
  await expect.poll(stored, { interval: 250 }).toMatchObject(all)
  child.kill('SIGTERM')
  await once(child, 'exit')
  expect(requests).toHaveLength(3)
  const { body } = await world.api.get(`/v1/sites/${shop.siteId}/scripts`, { key: shop.key })
  expect(body.data).toMatchObject([
    { url: src, identification: { state: 'identified' }, advisories: { state: 'affected' } },
  ])
}, 300_000)
