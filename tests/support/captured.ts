import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { inject } from 'vitest'
import type { OracleWindow } from '../oracles/oracle-parts.ts'
import { startApi, type TestApi } from './api.ts'
import { importFile } from './import-file.ts'
import type { TestKey } from './tenants.ts'

const captured = new URL('../../fixtures/captured/', import.meta.url)
const files = readdirSync(captured).filter((name) => name.endsWith('.ndjson'))

const posts = files.flatMap((name) =>
  readFileSync(new URL(name, captured), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line)),
)
const received = posts.map((post) => Date.parse(post.receivedAt))

/** From the first post that was received to the last. */
export const capturedWindow: OracleWindow = { from: Math.min(...received), to: Math.max(...received) + 1 }

const hosts = ['*.example.test', '*.nel.test', 'partner.example.org.test', 'ads.adnet.test']

export interface CapturedApi {
  readonly api: TestApi
  readonly key: TestKey
  readonly tenantId: string
  readonly siteId: string
}

/** Starts it, at the end of the window. */
export async function startCapturedApi(): Promise<CapturedApi> {
  const api = await startApi({ now: () => new Date(capturedWindow.to) })
  const tenantId = await api.createTenant()
  const siteId = await api.createSite(tenantId, { hosts })
  const { writeUrl } = inject('servers')
  const limits = { batchBytes: 10_000_000, maxLineBytes: 1_000_000 }
  for (const name of files) {
    const path = fileURLToPath(new URL(name, captured))
    const given = { writeUrl, path, tenantId, sites: [{ id: siteId, hosts }], limits }
    const { rejected } = await importFile(given)
    if (rejected > 0) throw new Error(`${name}: ${rejected} posts or reports were rejected`)
  }
  return { api, key: await api.createKey(tenantId), tenantId, siteId }
}

/** Captured reports of a type, legacy ones too, with the common fields of their post. */
export const capturedReports = (type: string) =>
  posts.flatMap((post) =>
    [post.body]
      .flat()
      .map((report) => (report['csp-report'] ? { type: 'csp-violation', body: report['csp-report'] } : report))
      .filter((report) => report.type === type)
      .map((report, index) => ({
        ...report,
        common: {
          receivedAt: Date.parse(post.receivedAt),
          id: String(index),
          weight: 1_000_000,
          sampleRate: 1,
          browserName: post.userAgent.includes('Firefox') ? 'Firefox' : 'Chrome',
        },
      })),
  )
