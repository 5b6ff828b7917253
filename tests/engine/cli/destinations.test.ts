import { createHmac, randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cli } from '../../support/cli.ts'
import { queryRows, type TestDatabase } from '../../support/database.ts'
import { createMigratedDatabase } from '../../support/migrated-database.ts'
import type { OwnAlerts } from '../../support/own-alerts.ts'
import { spawnScript } from '../../support/spawn-script.ts'
import { createTenantWriter } from '../../support/tenants.ts'
import { startWebServer, type WebServer } from '../../support/web-server.ts'

const environment = { SECRETS_KEY: randomBytes(32).toString('base64'), OUTBOUND_ALLOWED: '127.0.0.1:*' }

let database: TestDatabase
let web: WebServer
let tenantId: string
let address: string
const received: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = []

beforeAll(async () => {
  database = await createMigratedDatabase()
  tenantId = await createTenantWriter(database.writer).createTenant()
  web = await startWebServer(async (request, response) => {
    received.push({ headers: request.headers, body: await text(request) })
    response.writeHead(request.url === '/gone' ? 410 : 204).end()
  })
  address = `${web.origin}/hooks/T024`
})

afterAll(async () => {
  await web?.close()
  await database?.drop()
})

const run = (words: readonly string[], stdin = '', settings = {}) =>
  cli(words, { environment: { ...environment, CLICKHOUSE_URL: database.writeUrl }, stdin, settings })

async function done(words: readonly string[], stdin = '') {
  const { code, stdout, stderr } = await run(words, stdin)
  expect({ code, stderr }).toMatchObject({ code: 0 })
  return JSON.parse(stdout)
}

async function refused(words: readonly string[], stdin = '', settings = {}): Promise<string> {
  const { code, stdout, stderr } = await run(words, stdin, settings)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(/^[^\n]+\n$/)
  return stderr.trimEnd()
}

const add = (type: string) => ['destinations', 'add', '--tenant', tenantId, '--name', 'On-call', '--type', type]

test('an address comes from stdin and is never shown; the worker sends a test to it, signed by the printed secret', async () => {
  const { id, secret, ...added } = await done([...add('webhook'), '--address', '-'], `${address}\n`)
  expect(added).toEqual({ name: 'On-call', type: 'webhook' })
  const listed = await done(['destinations', 'list', '--tenant', tenantId])
  expect(listed.destinations).toEqual([{ id, name: 'On-call', type: 'webhook', createdAt: expect.any(String) }])
  const given: OwnAlerts = { writeUrl: database.writeUrl, environment, leaseMs: 1_000 }
  const worker = spawnScript('tests/support/own-alerts.ts', [JSON.stringify(given)], {})
  try {
    const sent = await done(['destinations', 'test', '--tenant', tenantId, '--destination', id])
    expect(sent).toMatchObject({ kind: 'test', outcome: 'delivered', destination: { id, name: 'On-call' } })
    const [{ headers, body } = { headers: {}, body: '' }] = received
    expect(JSON.parse(body)).toMatchObject({ type: 'test', data: { summary: 'A test of this destination' } })
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
    expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
    const gone = await done([...add('slack'), '--address', '-'], `${web.origin}/gone`)
    const { code, stdout } = await run(['destinations', 'test', '--tenant', tenantId, '--destination', gone.id])
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({
      code: 1,
      outcome: 'rejected',
      detail: 'The receiver responded 410',
    })
  } finally {
    worker.child.kill('SIGKILL')
    await worker.ended()
  }
  const rows = JSON.stringify(await queryRows(database.writer, 'SELECT * FROM alert_destinations'))
  for (const written of [rows, worker.output()]) {
    expect(written).not.toContain(address)
    expect(written).not.toContain(secret)
  }
})

test('an address that is no address of its type is refused, and no error has it', async () => {
  const errors = [
    await refused([...add('webhook'), '--address', address]),
    await refused([...add('webhook'), '--address', '-'], 'ftp://hooks.example/T024'),
    await refused([...add('slack'), '--address', '-'], 'T024'),
    await refused([...add('email'), '--address', '-'], 'a@T024.example,b@T024.example'),
    await refused([...add('webhook'), '--address', '-'], 'https://T024:password@hooks.example/'),
    await refused([...add('webhook'), '--address', '-'], 'https://hooks.example/a\nhttps://hooks.example/T024'),
  ]
  for (const error of errors) expect(error).not.toContain('T024')
  expect(errors[0]).toContain('--address must be -')
  expect(errors[3]).toBe('The address on stdin must be one e-mail address')
})

test('a key that opens none of the stored addresses is refused, as the worker could not open what it seals', async () => {
  await done([...add('webhook'), '--address', '-'], address)
  const other = { ...environment, SECRETS_KEY: randomBytes(32).toString('base64'), CLICKHOUSE_URL: database.writeUrl }
  const { code, stderr } = await cli([...add('webhook'), '--address', '-'], { environment: other, stdin: address })
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: "SECRETS_KEY cannot decrypt any stored address: set it to the worker's value\n",
  })
})

test('rules name a destination and a site of the tenant; a removed rule is disabled', async () => {
  const { id, secret } = await done([...add('email'), '--address', '-'], 'officer@shop.example')
  expect(secret).toBe(undefined)
  const rules = (...words: string[]) => ['alerts', 'rules', ...words, '--tenant', tenantId]
  const page = ['--event', 'page.headers_changed']
  const rule = await done(rules('add', ...page, '--destination', id))
  const named = { eventType: 'page.headers_changed', destinationId: id, siteId: null }
  expect(rule).toEqual({ id: expect.any(String), kind: 'immediate', enabled: true, ...named })
  expect(await refused(rules('add', ...page, '--destination', 'none'))).toContain('has no destination none')
  expect(await refused(rules('add', ...page, '--destination', id, '--site', tenantId))).toContain('has no site')
  expect(await refused(rules('add', '--event', 'page.gone', '--destination', id))).toContain(
    'one of page.headers_changed',
  )
  expect((await done(rules('list'))).rules).toEqual([rule])
  expect(await done(rules('remove', '--rule', rule.id))).toEqual({ ...rule, enabled: false })
  expect((await done(rules('list'))).rules).toEqual([{ ...rule, enabled: false }])
  expect(await refused(rules('remove', '--rule', 'none'))).toContain('has no rule none')
})

test('without a worker a test says so, and a removed destination is neither listed nor tested', async () => {
  const { id } = await done([...add('webhook'), '--address', '-'], address)
  const words = ['--tenant', tenantId, '--destination', id]
  expect(await refused(['destinations', 'test', ...words], '', { testWaitMs: 1 })).toMatch(
    /^No worker picked up the test .*npm run worker/,
  )
  const rule = await done([
    ...['alerts', 'rules', 'add', '--tenant', tenantId, '--event', 'page.headers_changed'],
    ...['--destination', id],
  ])
  expect(await done(['destinations', 'remove', ...words])).toEqual({ id, removed: true, disabledRules: [rule.id] })
  const { rules } = await done(['alerts', 'rules', 'list', '--tenant', tenantId])
  expect(rules).toContainEqual({ ...rule, enabled: false })
  const { destinations } = await done(['destinations', 'list', '--tenant', tenantId])
  expect(destinations.map((one: { id: string }) => one.id)).not.toContain(id)
  expect(await refused(['destinations', 'test', ...words])).toContain(`has no destination ${id}`)
  const [[sealed] = []] = await queryRows(
    database.writer,
    `SELECT sealed FROM alert_destinations FINAL WHERE id = '${id}'`,
  )
  expect(sealed).toBe('')
})
