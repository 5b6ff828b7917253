import { join } from 'node:path'
import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApi, type TestApi } from '../../support/api.ts'
import { cli } from '../../support/cli.ts'
import { freePort } from '../../support/free-port.ts'
import { runCsp } from '../../support/run-csp.ts'
import type { TestKey } from '../../support/tenants.ts'

let api: TestApi
let key: TestKey
let tenantId: string
let siteId: string
const otherServer = setupServer()

beforeAll(async () => {
  otherServer.listen({ onUnhandledRequest: 'bypass' })
  api = await startApi()
  tenantId = await api.createTenant()
  siteId = await api.createSite(tenantId)
  key = await api.createKey(tenantId, { siteId })
})

afterAll(async () => {
  otherServer.close()
  await api?.close()
})

const csp = (args: readonly string[], run?: Parameters<typeof runCsp>[2]) => runCsp(siteId, args, run)

const checkOf = (stdin: string) => csp(['check', '--tenant', tenantId, '--policy', '-'], { stdin })

/** Over HTTP, of a site and with a key. */
const overHttp = (apiKey: string, site = siteId, url = api.url) =>
  runCsp(site, ['advise', '--api', url], { environment: { API_KEY: apiKey } })

/** From a server that is no API of this project. */
function fromOtherServer(status: number) {
  const respond = () => HttpResponse.html('<html>\n<p>\n', { status, headers: { Location: api.url } })
  otherServer.use(http.get('https://other.example/*', respond))
  return overHttp(key.key, siteId, 'https://other.example')
}

async function tenantWithKey(
  tenant: Parameters<TestApi['createTenant']>[0],
  keyOptions?: Parameters<TestApi['createKey']>[1],
) {
  const other = await api.createTenant(tenant)
  return { site: await api.createSite(other), apiKey: (await api.createKey(other, keyOptions)).key }
}

test.each<[string, () => Promise<{ code: number; stderr: string }>, string]>([
  [
    'neither --tenant nor --api',
    () => csp(['advise']),
    "required option '--tenant <ID>' not specified (The tenant; omit it with",
  ],
  [
    'no option',
    () => cli(['csp', 'check']),
    "required option '--tenant <ID>' not specified (The tenant; omit it with --api",
  ],
  [
    '--api alone',
    () => cli(['csp', 'advise', '--api', api.url]),
    "required option '--site <ID>' not specified (The site",
  ],
  ['both', () => csp(['advise', '--tenant', tenantId, '--api', api.url]), 'Use --tenant or --api, not both'],
  [
    '--api without a key',
    () => csp(['advise', '--api', api.url], { environment: {} }),
    '--api requires an API key in API_KEY',
  ],
  [
    'a wrong key',
    () => csp(['advise', '--api', api.url], { environment: { API_KEY: 'srk_live_wrong' } }),
    'The API responded with 401: The API key is missing, malformed, unknown, revoked or expired; set API_KEY to a valid key',
  ],
  ['an empty key', () => overHttp(''), '--api requires an API key in API_KEY'],
  [
    'a site of another tenant',
    async () => overHttp(key.key, await api.createSite(await api.createTenant())),
    'The API responded with 404: There is no such site; correct --api or --site',
  ],
  [
    'a site that the key does not read',
    async () => overHttp(key.key, await api.createSite(tenantId)),
    'The API responded with 404: There is no such site; correct --api or --site',
  ],
  [
    'a site of another tenant in the database',
    async () => {
      const site = await api.createSite(await api.createTenant())
      return runCsp(site, ['advise', '--tenant', tenantId])
    },
    'There is no such site; correct --site',
  ],
  [
    'a policy that no report quotes',
    () => csp(['advise', '--tenant', tenantId, '--policy-id', '0'.repeat(32)]),
    'The API responded with 404: No report in the window quotes this policy; correct --site or --policy-id',
  ],
  [
    'a key of pages',
    async () => {
      const { site, apiKey } = await tenantWithKey({}, { origins: ['https://dash.example.test'] })
      return overHttp(apiKey, site)
    },
    'set API_KEY to a key that is not restricted to origins',
  ],
  [
    'a plan without API access',
    async () => {
      const { site, apiKey } = await tenantWithKey({ plan: 'free' })
      return overHttp(apiKey, site)
    },
    'The API responded with 403: The free plan does not include API access; the team plan and above do',
  ],
  [
    'a spent budget',
    async () => {
      const { site, apiKey } = await tenantWithKey({ overrides: { keyLimit: 1 } })
      await overHttp(apiKey, site)
      return overHttp(apiKey, site)
    },
    'The budget of requests per minute is spent (key: 1); wait ',
  ],
  [
    'a window over 31 days',
    () => csp(['advise', '--tenant', tenantId, '--last', '32d']),
    'The API responded with 400: last must be',
  ],
  [
    'a server that is no such API',
    () => fromOtherServer(404),
    ' responded with 404 and is not this API: correct --api',
  ],
  ['a server that redirects', () => fromOtherServer(301), ' responded with 301 and is not this API: correct --api'],
  [
    'a policy file that is missing',
    () => csp(['check', '--tenant', tenantId, '--policy', join(import.meta.dirname, 'none.txt')]),
    'none.txt does not exist: correct the path',
  ],
  [
    'an API that is not there',
    async () => csp(['advise', '--api', `http://127.0.0.1:${await freePort()}`], { environment: { API_KEY: key.key } }),
    'refuses connections: start the server, or correct host and port',
  ],
  [
    'a confidence that the API does not know',
    () => csp(['advise', '--tenant', tenantId, '--min-confidence', 'some']),
    'minConfidence must be',
  ],
  ...[' \n', 'null', ';', 'policy policy; other'].map((stdin): [string, () => ReturnType<typeof csp>, string] => [
    `the policy ${JSON.stringify(stdin)}`,
    () => checkOf(stdin),
    'stdin must have a known directive',
  ]),
  [
    'a policy that is a folder',
    () => csp(['check', '--tenant', tenantId, '--policy', import.meta.dirname]),
    'tests/engine/cli is a folder: use the path of a file',
  ],
  [
    'a policy with an umlaut',
    () => checkOf('img-src bücher.example'),
    'stdin must be printable ASCII, with hosts in Punycode',
  ],
  [
    'a policy that is too long',
    () => checkOf('img-src '.padEnd(8_193, 'a')),
    'stdin must have at most 8192 characters',
  ],
  [
    'TLS to a server without it',
    () => overHttp(key.key, siteId, api.url.replace('http:', 'https:')),
    ' does not respond: it does not use TLS: correct --api',
  ],
  [
    'a line of a header',
    () => checkOf("Content-Security-Policy: script-src 'self'"),
    'stdin must be the value of the header without its name',
  ],
])('%s exits 2 with a line', async (_, run, line) => {
  const { code, stderr } = await run()
  expect(code).toBe(2)
  expect(stderr).toContain(line)
  expect(stderr.trim().split('\n')).toHaveLength(1)
})
