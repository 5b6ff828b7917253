/** @module Lists of a tenant's records, and decisions of people. */

import { randomUUID } from 'node:crypto'
import type { Command } from '@commander-js/extra-typings'
import type { Read } from '../../../queries/sql/query.ts'
import { importObjects } from '../../import/records/import-objects.ts'
import type { Context } from './context.ts'
import { openTenant } from './require-tenant.ts'
import { tenant } from './shared-arguments.ts'
import { type Help, subcommand } from './subcommand.ts'

interface List extends Help {
  /** Field of the printed object. */
  readonly field: string
  readonly list: (read: Read, tenantId: string) => Promise<readonly object[]>
}

/** Makes a subcommand `list`. */
export const tenantList =
  ({ field, list, ...help }: List) =>
  (parent: Command, context: Context): void => {
    subcommand(parent, 'list', help)
      .addOption(tenant)
      .action(async ({ tenant }) => {
        const { reader } = await openTenant(context, tenant)
        context.finish({ [field]: await list(reader.read, tenant) })
      })
  }

/** Stores a person's decision as of now and prints it. */
export async function storeDecision<Decided extends { readonly site: string; readonly by: string }>(
  context: Context,
  target: Omit<Parameters<typeof importObjects>[0], 'siteId'>,
  { site, by, ...decided }: Decided,
): Promise<void> {
  const decidedBy = { name: null, email: by }
  const decision = { id: randomUUID(), siteId: site, ...decided, decidedBy, decidedAt: new Date().toISOString() }
  await importObjects(target, [decision])
  context.finish(decision)
}
