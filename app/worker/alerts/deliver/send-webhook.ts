import { createHmac } from 'node:crypto'
import { postJson } from './post-json.ts'
import type { Outgoing, Send } from './sender.ts'

/** Standard Webhooks: `webhook-id` is the delivery's id in every repeat, by which a receiver drops a second one. */
export const sendWebhook: Send = ({ address, secret }, outgoing, settings) =>
  postJson(
    { ...settings, address, body: outgoing.payload, headers: signed(outgoing, secret), finalStatuses: [410] },
    outgoing,
  )

function signed({ deliveryId, at, payload }: Outgoing, secret: string) {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const signature = createHmac('sha256', key).update(`${deliveryId}.${timestamp}.${payload}`).digest('base64')
  return { 'webhook-id': deliveryId, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
}
