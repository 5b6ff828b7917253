import { gzipSync } from 'node:zlib'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeSiteToken } from '../../../app/collector/site-address.ts'
import { startTestCollector, type TestCollector } from '../../support/collector.ts'
import { queryRows } from '../../support/database.ts'

let collector: TestCollector
let tenantId: string

beforeAll(async () => {
  collector = await startTestCollector({ SITE_POSTS_PER_MINUTE: '500' })
  tenantId = await collector.createTenant()
})

afterAll(() => collector?.close())

const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'
const host = 'shop.example'

async function createSite(sampleRates: Record<string, number> = {}) {
  const token = makeSiteToken()
  const id = await collector.createSite(tenantId, { hosts: [host], token, sampleRates })
  return { id, token }
}

const violation = (url = `https://${host}/cart`, directive = 'img-src') => ({
  type: 'csp-violation',
  age: 10,
  url,
  user_agent: chrome,
  body: {
    documentURL: url,
    effectiveDirective: directive,
    blockedURL: 'https://evil.example/x.png',
    disposition: 'enforce',
  },
})

const legacy = {
  'csp-report': {
    'document-uri': `https://${host}/old`,
    'effective-directive': 'script-src-elem',
    'blocked-uri': 'inline',
    disposition: 'report',
  },
}

const stored = (siteId: string, columns = 'report_type, directive, browser_name') =>
  queryRows(collector.database, `SELECT ${columns} FROM reports WHERE site_id = '${siteId}' ORDER BY directive`)

describe('a post', () => {
  test('is 204, and its reports and their rollups are stored', async () => {
    const { id, token } = await createSite()
    const response = await collector.post(token, [violation(), violation(undefined, 'connect-src')])
    expect({ status: response.status, text: await response.text() }).toEqual({ status: 204, text: '' })
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
    expect(await stored(id)).toEqual([
      ['csp-violation', 'connect-src', 'Chrome'],
      ['csp-violation', 'img-src', 'Chrome'],
    ])
    const issues = `SELECT sum(report_count) FROM reports_per_day_by_issue WHERE site_id = '${id}'`
    expect(await queryRows(collector.database, issues)).toEqual([[2]])
  })

  test.each([
    ['application/csp-report', legacy],
    ['application/json; charset=utf-8', [violation(`https://${host}/old`, 'script-src-elem')]],
    ['text/plain;charset=UTF-8', legacy],
  ])('is taken as %s, by the form of its body', async (type, body) => {
    const { id, token } = await createSite()
    expect((await collector.post(token, body, { type, headers: { 'User-Agent': chrome } })).status).toBe(204)
    expect(await stored(id)).toEqual([['csp-violation', 'script-src-elem', 'Chrome']])
  })

  test.each(['gzip', 'x-gzip', 'GZip'])('is taken as %s', async (coding) => {
    const { id, token } = await createSite()
    const body = gzipSync(JSON.stringify([violation()]))
    expect((await collector.post(token, body, { headers: { 'Content-Encoding': coding } })).status).toBe(204)
    expect(await stored(id, 'document_url')).toEqual([[`https://${host}/cart`]])
  })

  test.each([
    ['a byte order mark before its JSON', '', {}, '\ufeff'],
    ['the content coding Identity', '', { 'Content-Encoding': 'Identity' }, ''],
    ['a slash behind its token', '/', {}, ''],
  ])('is taken with %s', async (_, slash, headers, mark) => {
    const { id, token } = await createSite()
    const body = mark + JSON.stringify([violation()])
    expect((await collector.post(token + slash, body, { headers })).status).toBe(204)
    expect(await stored(id, 'document_url')).toEqual([[`https://${host}/cart`]])
  })

  test('of a host that is not the site’s is dropped', async () => {
    const { id, token } = await createSite()
    expect((await collector.post(token, [violation('https://other.example/'), violation()])).status).toBe(204)
    expect(await stored(id, 'document_url')).toEqual([[`https://${host}/cart`]])
  })

  test('of a site is stored for its tenant alone, with its tenant’s retention', async () => {
    const other = await collector.createTenant({ overrides: { retentionDays: 12 } })
    const token = makeSiteToken()
    const id = await collector.createSite(other, { hosts: [host], token })
    expect((await collector.post(token, [violation()])).status).toBe(204)
    expect(await stored(id, 'tenant_id, retention_days')).toEqual([[other, 12]])
  })
})

const gzipBomb = gzipSync(Buffer.alloc(8 * 1024 * 1024, '['))

test.each<[what: string, status: number, code: string, body: unknown, options?: Parameters<TestCollector['post']>[2]]>([
  ['a media type of forms', 415, 'unsupported_media_type', [], { type: 'application/x-www-form-urlencoded' }],
  ['another encoding', 415, 'unsupported_media_type', [], { headers: { 'Content-Encoding': 'br' } }],
  ['a body that is no JSON', 400, 'bad_request', '[{'],
  ['JSON that holds no report', 400, 'bad_request', { a: 1 }],
  ['a body that is no gzip', 400, 'bad_request', [], { headers: { 'Content-Encoding': 'gzip' } }],
  ['a body over 1 MiB', 413, 'payload_too_large', ' '.repeat(1024 * 1024 + 1)],
  ['a gzip body that unpacks to more', 413, 'payload_too_large', gzipBomb, { headers: { 'Content-Encoding': 'gzip' } }],
  ['a body that nests too deep', 400, 'bad_request', `[${'['.repeat(500_000)}`],
  ['a text that holds JSON past these bounds', 400, 'bad_request', JSON.stringify('['.repeat(4e5) + ']'.repeat(4e5))],
  ['a body of too many members', 400, 'bad_request', `{${'"a":1,'.repeat(150_000)}"b":[${'0,'.repeat(60_000)}0]}`],
])('%s is refused with %d', async (_, status, code, body, options) => {
  const { token } = await createSite()
  const response = await collector.post(token, body, options)
  const { error } = (await response.json()) as { error: { code: string; message: string; requestId: string } }
  expect({ status: response.status, code: error.code }).toEqual({ status, code })
  expect(error.message.length).toBeGreaterThan(10)
  expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
})

test.each([
  [204, JSON.stringify([violation()])],
  [413, `[${' '.repeat(1024 * 1024)}]`],
])('a body that does not say its length gets a %d', async (status, body) => {
  const { token } = await createSite()
  const init: RequestInit & { duplex: 'half' } = {
    method: 'POST',
    headers: { 'Content-Type': 'application/reports+json' },
    body: new Blob([body]).stream(),
    duplex: 'half',
  }
  const response = await fetch(`${collector.url}/r/${token}`, init)
  expect(response.status).toBe(status)
})

test.each([makeSiteToken(), 'short', "x' OR 1=1 --"])('the unknown token %s is a 404', async (token) => {
  expect((await collector.post(encodeURIComponent(token), [violation()])).status).toBe(404)
})

test('a site past its budget gets a 429 that says when to come back; another site does not', async () => {
  const strict = await startTestCollector({ SITE_POSTS_PER_MINUTE: '2' })
  try {
    const [{ id, token }, other] = [await createSite(), await createSite()]
    const statuses = await Promise.all([1, 2, 3].map(async () => (await strict.post(token, [violation()])).status))
    expect(statuses.sort()).toEqual([204, 204, 429])
    const refused = await strict.post(token, [violation()])
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0)
    expect((await strict.post(other.token, [violation()])).status).toBe(204)
    expect(await stored(id)).toHaveLength(2)
  } finally {
    await strict.close()
  }
})

test('a post costs a token of its site’s budget, and one more for each 100 reports', async () => {
  const strict = await startTestCollector({ SITE_POSTS_PER_MINUTE: '1' })
  try {
    const statusOf = async (count: number) => {
      const body = Array.from({ length: count }, () => violation('https://other.example/'))
      return (await strict.post((await createSite()).token, body)).status
    }
    expect([await statusOf(99), await statusOf(100)]).toEqual([204, 429])
  } finally {
    await strict.close()
  }
})

test.each([
  ['reports of unknown types', () => [{ type: 'x' }]],
  ['reports of foreign hosts', () => [violation('https://other.example/')]],
  ['no JSON', () => '[{'],
])('posts of %s have a budget of their own', async (_, body) => {
  // A budget of one takes a minute to refill, on the slowest machine more than these posts take.
  const strict = await startTestCollector({ SITE_POSTS_PER_MINUTE: '1' })
  try {
    const { id, token } = await createSite()
    await strict.post(token, body())
    expect((await strict.post(token, body())).status).toBe(429)
    expect((await strict.post(token, [violation()])).status).toBe(204)
    expect((await strict.post(token, [violation()])).status).toBe(429)
    expect(await stored(id)).toHaveLength(1)
  } finally {
    await strict.close()
  }
})

test('above a site’s budget of reports a share is stored, whose weights are of all', async () => {
  const limited = await startTestCollector({})
  try {
    const token = makeSiteToken()
    const id = await collector.createSite(tenantId, { hosts: [host], token, reportsPerMinute: 100 })
    const flood = Array.from({ length: 1_000 }, () => violation())
    for (let post = 0; post < 5; post++) expect((await limited.post(token, flood)).status).toBe(204)
    const network = {
      type: 'network-error',
      url: `https://${host}/`,
      body: { type: 'tcp.timed_out', phase: 'connection' },
    }
    expect((await limited.post(token, [network])).status).toBe(204)
    const sums = `SELECT count(), sum(weight) / 1e6 FROM reports WHERE site_id = '${id}' GROUP BY report_type`
    const [[rows, estimated] = [], others] = await queryRows(collector.database, `${sums} ORDER BY report_type`)
    expect(others).toEqual([1, 1])
    // 100 times 1 + ln 50, and a twentieth of 5,000 as its standard error.
    expect(Number(rows)).toBeGreaterThan(300)
    expect(Number(rows)).toBeLessThan(650)
    expect(Math.abs(Number(estimated) - 5_000)).toBeLessThan(1_250)
  } finally {
    await limited.close()
  }
})

test('accepted posts are logged at debug level, refused ones always; neither line has its sender or its token', async () => {
  const lines: Record<string, unknown>[] = []
  const log = pino({ level: 'debug' }, { write: (line) => void lines.push(JSON.parse(line)) })
  const logged = await startTestCollector({}, { log })
  const { id, token } = await createSite()
  await logged.post(token, [violation()])
  await logged.post(token, '[{')
  await logged.post(makeSiteToken(), [violation()])
  await logged.close()
  const posts = lines.filter(({ operation }) => operation === 'reports.collect')
  const site = { tenantId, siteId: id }
  const [debug, info] = [pino.levels.values.debug, pino.levels.values.info]
  expect(posts).toMatchObject([
    { level: debug, status: 204, ...site },
    { level: info, status: 400, ...site },
    { level: info, status: 404 },
  ])
  for (const secret of ['127.0.0.1', token, 'evil.example']) expect(JSON.stringify(posts)).not.toContain(secret)
})

test('readiness and metrics cover the collector, and labels are our own names alone', async () => {
  const { token } = await createSite()
  await collector.post(token, [violation(), { type: 'x"}\n', body: {} }])
  const ready = await fetch(`${collector.url}/readyz`)
  expect(await ready.json()).toMatchObject({ status: 'ok', checks: { engine: 'ok', log: 'ok', sites: 'ok' } })
  const metrics = await (await fetch(`${collector.url}/metrics`)).text()
  expect(metrics).toMatch(/collector_reports_total\{type="csp-violation",outcome="accepted"\} \d/)
  expect(metrics).toMatch(/collector_reports_total\{type="other",outcome="skipped"\} \d/)
  expect(metrics).toMatch(/http_request_duration_seconds_count\{route="\/r\/\{token\}",status="204"\} \d/)
  expect(metrics).toMatch(/collector_waiting_bytes 0/)
})
