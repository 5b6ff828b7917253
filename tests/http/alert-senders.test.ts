import { createHmac, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as bodyOf } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../app/config.ts'
import type { Destination } from '../../app/worker/alerts/deliver/destination.ts'
import { sendEmail } from '../../app/worker/alerts/deliver/send-email.ts'
import { sendSlack } from '../../app/worker/alerts/deliver/send-slack.ts'
import { sendWebhook } from '../../app/worker/alerts/deliver/send-webhook.ts'
import type { Outgoing, SendSettings } from '../../app/worker/alerts/deliver/sender.ts'
import { createGuard } from '../../app/worker/fetch/guard.ts'
import { startWebServer, type WebServer } from '../support/web-server.ts'

let web: WebServer
let mail: SMTPServer
let smtpUrl: string
let handle: (request: IncomingMessage, response: ServerResponse) => void
/** Code of the response to a recipient; 250 takes it. */
let mailCode = 250
const received: { readonly request: IncomingMessage; readonly body: string }[] = []
const mails: { readonly to: string[]; readonly source: string }[] = []

beforeAll(async () => {
  web = await startWebServer(async (request, response) => {
    received.push({ request, body: await bodyOf(request) })
    handle(request, response)
  })
  mail = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: (_, _session, callback) =>
      callback(mailCode === 250 ? null : Object.assign(new Error('No'), { responseCode: mailCode })),
    onData(stream, { envelope }, callback) {
      bodyOf(stream).then((source) => {
        mails.push({ to: envelope.rcptTo.map(({ address }) => address), source })
        callback()
      }, callback)
    },
  })
  const listening = mail.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  smtpUrl = `smtp://127.0.0.1:${(listening.address() as AddressInfo).port}`
})

afterAll(async () => {
  await web?.close()
  await new Promise<void>((resolve) => mail?.close(resolve))
})

const respond = (statusCode: number, headers: Readonly<Record<string, string>> = {}) => {
  handle = (_, response) => response.writeHead(statusCode, headers).end('hello')
}

const settings = (given: Partial<SendSettings> = {}): SendSettings => ({
  guard: createGuard(readConfig({ OUTBOUND_ALLOWED: '127.0.0.1:*' }).OUTBOUND_ALLOWED),
  timeoutMs: 300_000,
  smtpUrl,
  mailFrom: 'alerts@reports.example',
  ...given,
})

const secret = `whsec_${randomBytes(32).toString('base64')}`

const destination = (given: Partial<Destination> = {}): Destination => ({
  tenantId: 't',
  id: 'd',
  name: 'On-call',
  type: 'webhook',
  address: `${web.origin}/in/secret`,
  secret,
  ...given,
})

const outgoing: Outgoing = {
  deliveryId: '0f0e6a4c-9a51-5c8b-8f5e-0d9a4b7c1e2f',
  at: new Date('2026-11-01T12:00:00.500Z'),
  thread: 'a17c0ffe-9a51-5c8b-8f5e-0d9a4b7c1e2f',
  siteId: 'b0b0ffe0-9a51-4c8b-8f5e-0d9a4b7c1e2f',
  summary: 'Checkout: grade dropped\r\nBcc: eve@example.com',
  payload: '{"type":"page.grade_dropped"}',
  text: 'Checkout <!channel> & more',
}

test('a webhook is signed as Standard Webhooks has it, with the id of its delivery in every repeat', async () => {
  respond(204)
  for (let times = 0; times < 2; times++) {
    expect(await sendWebhook(destination(), outgoing, settings())).toEqual({ isSent: true })
  }
  const [first, second] = received.splice(0)
  expect(first?.body).toBe(outgoing.payload)
  const headers = first?.request.headers ?? {}
  expect(headers).toMatchObject({ 'webhook-id': outgoing.deliveryId, 'webhook-timestamp': '1793534400' })
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const signed = `${outgoing.deliveryId}.1793534400.${outgoing.payload}`
  expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
  expect(second?.request.headers['webhook-id']).toBe(outgoing.deliveryId)
})

test.each([
  [500, {}, false],
  [404, {}, false],
  [410, {}, true],
  [302, { location: 'http://127.0.0.1:1/' }, false],
])(
  'of a webhook that responds %i no redirect is followed, and 410 alone ends the attempts',
  async (status, headers, isFinal) => {
    respond(status, headers)
    const result = await sendWebhook(destination(), outgoing, settings())
    expect(result).toMatchObject({ isSent: false, isFinal, failure: expect.stringContaining(`responded ${status}`) })
    expect(received.splice(0)).toHaveLength(1)
  },
)

test.each([
  ['120', '2026-11-01T12:02:00.500Z'],
  ['Sun, 01 Nov 2026 13:00:00 GMT', '2026-11-01T13:00:00.000Z'],
  ['99999999', '2026-11-02T00:00:00.500Z'],
  ['soon', undefined],
])('Retry-After %s is heeded', async (header, expected) => {
  respond(429, { 'retry-after': header })
  const result = await sendSlack(destination({ type: 'slack' }), outgoing, settings())
  expect(result).toMatchObject({ isSent: false, isFinal: false })
  expect('retryAt' in result ? result.retryAt?.toISOString() : 'none').toBe(expected)
  received.splice(0)
})

test('Slack gets text in which nothing is a mention or a link, and no second try after 404', async () => {
  respond(404)
  const result = await sendSlack(destination({ type: 'slack' }), outgoing, settings())
  expect(result).toMatchObject({ isSent: false, isFinal: true })
  expect(JSON.parse(received.splice(0)[0]?.body ?? '')).toEqual({
    text: 'Checkout &lt;!channel&gt; &amp; more',
    mrkdwn: false,
    unfurl_links: false,
    unfurl_media: false,
  })
})

test.each([
  ['no_service', 'The receiver responded 404: no_service'],
  ['hooks.slack.test/T024', 'The receiver responded 404'],
])('of Slack the error word is in the failure, and no other text: %s', async (body, failure) => {
  handle = (_, response) => response.writeHead(404).end(body)
  expect(await sendSlack(destination({ type: 'slack' }), outgoing, settings())).toMatchObject({ failure })
  received.splice(0)
})

test('Slack gets a button to the explorer if there is a link', async () => {
  respond(200)
  const url = 'https://reports.example.com/explorer?view=alerts'
  await sendSlack(destination({ type: 'slack' }), { ...outgoing, url }, settings())
  const text = 'Checkout &lt;!channel&gt; &amp; more'
  expect(JSON.parse(received.splice(0)[0]?.body ?? '')).toMatchObject({
    text,
    blocks: [{ text: { type: 'plain_text', text } }, { elements: [{ type: 'button', url }] }],
  })
})

test('a receiver of this network, without a response or without a server is a failure without its address', async () => {
  handle = (request) => request.socket.destroy()
  const failures = [
    await sendWebhook(destination(), outgoing, settings({ guard: createGuard([]) })),
    await sendWebhook(destination({ address: 'http://169.254.169.254/latest/secret' }), outgoing, settings()),
    await sendWebhook(destination({ address: 'http://127.0.0.1:1/in/secret' }), outgoing, settings()),
    await sendWebhook(destination(), outgoing, settings()),
  ]
  expect(received.splice(0)).toHaveLength(1)
  for (const failure of failures) {
    expect(failure).toMatchObject({ isSent: false, isFinal: false })
    expect(JSON.stringify(failure)).not.toContain('secret')
  }
  expect(JSON.stringify(failures[0])).toContain('OUTBOUND_ALLOWED')
})

test('a receiver that does not respond in time is a failure', async () => {
  handle = () => {}
  const result = await sendWebhook(destination(), outgoing, settings({ timeoutMs: 100 }))
  expect(result).toMatchObject({ isSent: false, isFinal: false, failure: 'The response was not complete in time' })
  received.splice(0)
})

test('a mail is plain text to one recipient, whose subject adds no header', async () => {
  const to = destination({ type: 'email', address: 'officer@shop.example' })
  expect(await sendEmail(to, outgoing, settings())).toEqual({ isSent: true })
  const [sent] = mails.splice(0)
  expect(sent?.to).toEqual(['officer@shop.example'])
  const [head = ''] = sent?.source.split('\r\n\r\n') ?? []
  expect(head).toMatch(/^From: Security Reporting <alerts@reports\.example>$/m)
  expect(head).toMatch(new RegExp(`^List-I[dD]: <${outgoing.siteId}\\.alerts\\.reports\\.example>$`, 'm'))
  expect(head).toMatch(new RegExp(`^References: <${outgoing.thread}@reports\\.example>$`, 'm'))
  expect(head).toMatch(/^Auto-Submitted: auto-generated$/m)
  expect(head).toMatch(new RegExp(`^Message-ID: <${outgoing.deliveryId}@reports\\.example>$`, 'm'))
  expect(head).toMatch(/^Content-Type: text\/plain/m)
  expect(head).not.toMatch(/^Bcc:/m)
  expect(sent?.source).toContain('Checkout <!channel> & more')
})

test.each([
  [450, false],
  [550, true],
])('of a mail server that responds %i the attempts go on: only 5xx ends them', async (code, isFinal) => {
  mailCode = code
  const to = destination({ type: 'email', address: 'officer@shop.example' })
  expect(await sendEmail(to, outgoing, settings())).toEqual({
    isSent: false,
    isFinal,
    failure: `The mail server responded ${code}`,
  })
  mailCode = 250
})

test('mail without a server that responds, or without settings, is a failure that names them', async () => {
  const to = destination({ type: 'email', address: 'officer@shop.example' })
  const gone = await sendEmail(to, outgoing, settings({ smtpUrl: 'smtp://user:secret@127.0.0.1:1' }))
  expect(gone).toMatchObject({ isSent: false, isFinal: false, failure: expect.stringContaining('Cannot reach') })
  expect(JSON.stringify(gone)).not.toContain('secret')
  const unset = await sendEmail(to, outgoing, settings({ smtpUrl: undefined }))
  expect(unset).toMatchObject({ isSent: false, failure: expect.stringContaining('SMTP_URL and MAIL_FROM') })
})
