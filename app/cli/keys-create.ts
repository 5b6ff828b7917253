import { randomUUID } from 'node:crypto'
import { insertKey } from '../insert-key.ts'
import { keyPrefix, makeKey } from '../keys.ts'
import { expiresAt as expiry, name, tenant } from './argument-shapes.ts'
import { command } from './command.ts'
import { requireTenant } from './require-tenant.ts'

/** `keys create` */
export const keysCreate = command({
  about: 'Make an API key of a tenant and print it, the only time it is seen',
  arguments: { tenant, name, 'expires-at': expiry },
  notes: ['Only the SHA-256 of a key is stored: a key that is lost is revoked and another one made.'],
  examples: [
    'keys create --tenant ID --name dashboard',
    'keys create --tenant ID --name audit --expires-at 2030-01-31T00:00:00Z',
  ],
  async run(values, context) {
    const { reader, writer } = await context.engine()
    await requireTenant(reader, values.tenant)
    const createdAt = new Date()
    const expiresAt = values['expires-at'] ?? oneYearAfter(createdAt)
    const id = randomUUID()
    const key = makeKey()
    await insertKey(writer, { id, tenantId: values.tenant, name: values.name, key, createdAt, expiresAt })
    context.say(`Keep the key: it is not shown again. It expires at ${expiresAt.toISOString()}`)
    return { answer: { id, key, prefix: keyPrefix(key) } }
  },
})

function oneYearAfter(time: Date): Date {
  const later = new Date(time)
  later.setUTCFullYear(later.getUTCFullYear() + 1)
  return later
}
