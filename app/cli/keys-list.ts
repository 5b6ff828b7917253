import { listKeys } from '../../queries/tenants/list-keys.ts'
import { tenant } from './argument-shapes.ts'
import { command } from './command.ts'
import { requireTenant } from './require-tenant.ts'

/** `keys list` */
export const keysList = command({
  about: "Print a tenant's API keys, revoked and expired ones too; never the keys themselves",
  arguments: { tenant },
  examples: ['keys list --tenant ID'],
  async run(values, context) {
    const { reader } = await context.engine()
    await requireTenant(reader, values.tenant)
    return { answer: { keys: await reader.read(listKeys(values.tenant)) } }
  },
})
