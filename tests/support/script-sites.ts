import { createHash } from 'node:crypto'
import { inject } from 'vitest'
import { aReport } from '../../fixtures/reports.ts'
import { dayMs } from '../../schema/durations.ts'
import type { StoredReport } from '../../schema/stored-report.ts'
import { startApi, type TestApi } from './api.ts'
import { cli } from './cli.ts'
import { type ReadList, readPages } from './read-pages.ts'
import type { TestKey } from './tenants.ts'

/** The moment that the API takes for now, and a word that no other test file has. */
export const now = Date.now()
export const run = crypto.randomUUID()

export const daysAgo = (days: number) => new Date(now - days * dayMs).toISOString()

export interface ScriptSite {
  readonly tenantId: string
  readonly siteId: string
  readonly key: TestKey
}

export interface ScriptSites {
  readonly api: TestApi
  /** A site of a tenant of its own. */
  create(): Promise<ScriptSite>
  /** Sites of one tenant, with one key. */
  createMany(count: number): Promise<{ readonly tenantId: string; readonly sites: readonly ScriptSite[] }>
  /** Every script of a site, in pages of 1,000 by default. */
  list(site: ScriptSite, query?: Readonly<Record<string, string | number>>): Promise<ReadList>
  /** `data` of `GET /v1/sites/{siteId}/scripts/{scriptId}`. */
  // biome-ignore lint/suspicious/noExplicitAny: tests assert scripts field by field
  script(site: ScriptSite, name: string | number): Promise<any>
}

export async function startScriptSites(): Promise<ScriptSites> {
  const api = await startApi({ now: () => new Date(now) })
  const list: ScriptSites['list'] = ({ siteId, key }, query = {}) =>
    readPages(api, key, `/v1/sites/${siteId}/scripts`, { limit: 1_000, ...query })
  return {
    api,
    list,
    async create() {
      const tenantId = await api.createTenant()
      return { tenantId, siteId: await api.createSite(tenantId), key: await api.createKey(tenantId) }
    },
    async createMany(count) {
      const tenantId = await api.createTenant()
      const [siteIds, key] = await Promise.all([api.createSites(tenantId, count), api.createKey(tenantId)])
      return { tenantId, sites: siteIds.map((siteId) => ({ tenantId, siteId, key })) }
    },
    async script(site, name) {
      const { data } = await list(site)
      const id = data.find(({ url }) => url === urlOf(name))?.id
      const { body } = await api.get(`/v1/sites/${site.siteId}/scripts/${id}`, { key: site.key })
      return body.data
    },
  }
}

export const urlOf = (name: string | number) => `https://cdn.example.test/${name}.js`

/** The hash of some bytes, which no other test file has. */
export const hashOf = (bytes: string | number) =>
  `sha256-${createHash('sha256').update(`${run} ${bytes}`).digest('base64')}`

/** A browser's report of the script of a name, unhashed by default. */
export function sighting(site: ScriptSite, name: string | number, days: number, rest: Partial<StoredReport> = {}) {
  const { tenantId, siteId } = site
  const receivedAt = now - days * dayMs
  return aReport({ tenantId, siteId, reportType: 'csp-hash', scriptUrl: urlOf(name), receivedAt, ...rest })
}

export const hashed = (bytes: string | number) => ({ scriptHash: hashOf(bytes), reportedHash: hashOf(bytes) })

/** An authorization of any content by default. */
export const decision = (site: ScriptSite, name: string, days: number, rest: object = {}) => ({
  id: crypto.randomUUID(),
  siteId: site.siteId,
  url: urlOf(name),
  status: 'authorized',
  integrityMode: 'any_content',
  justification: null,
  decidedBy: { name: 'Ada', email: 'ada@example.test' },
  decidedAt: daysAgo(days),
  ...rest,
})

/** A payment page of a pattern. */
export const paymentPage = ({ siteId }: ScriptSite, pattern: string) => ({
  id: crypto.randomUUID(),
  siteId,
  kind: 'payment',
  label: 'Pay',
  pattern,
  scanUrl: 'https://shop.example.test/pay',
})

/** Runs `import` with lines on stdin. */
export async function importLines(folder: string, args: readonly string[], lines: readonly object[]) {
  const stdin = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  const environment = {
    CLICKHOUSE_URL: inject('servers').writeUrl,
    npm_lifecycle_event: 'cli',
    INIT_CWD: folder,
  }
  const { code, stdout } = await cli(['import', ...args, '-'], { environment, stdin })
  return { code, result: stdout && JSON.parse(stdout) }
}
