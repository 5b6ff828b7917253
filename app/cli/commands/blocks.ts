import { rm } from 'node:fs/promises'
import type { Command } from '@commander-js/extra-typings'
import { z } from 'zod'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { type BlockFile, isSetAside, listBlockFiles } from '../../collector/block-files.ts'
import { resendBlock } from '../../collector/resend-block.ts'
import { isBlockStored } from '../../collector/settle-insert.ts'
import { readBlock } from '../../collector/spool.ts'
import { option } from '../command/arguments.ts'
import type { Context } from '../command/context.ts'
import { subcommand } from '../command/subcommand.ts'

const token = option('--token <TOKEN>', {
  about: 'The block',
  takes: 'a token from "blocks list"',
  schema: z.string().regex(/^[\w-]{1,100}$/),
}).makeOptionMandatory()

const whereItRuns = "Run it with the collector's DATA_DIR; the collector may be running."

export function addBlocks(program: Command, context: Context): void {
  const blocks = subcommand(program, 'blocks', { about: 'Blocks of reports that a collector has not stored yet' })

  subcommand(blocks, 'list', {
    about: "Print the blocks in a collector's folder, oldest first",
    notes: [
      'Prints {"blocks": [{"token", "shard", "state", "reports", "tenants", "bytes", "savedAt", "stored"}]}. States: block: the',
      'collector sends it until it is stored; withdrawn: its posts were rejected with 503, only what ClickHouse already started to',
      'store is completed; refused by ClickHouse, or unreadable: set aside and not sent again. "stored" is true if',
      `ClickHouse has reports of the block. ${whereItRuns}`,
    ],
    examples: ['blocks list'],
  }).action(async () => {
    const { writer } = await context.database()
    const files = await listBlockFiles(context.config().DATA_DIR)
    context.finish({ blocks: await Promise.all(files.map((file) => describe(writer, file))) })
  })

  subcommand(blocks, 'resend', {
    about: 'Insert a block that ClickHouse refused and remove its file',
    notes: [
      "Fix the cause in the collector's log first. Reports of the block that are already stored are not stored twice, unless 10,000",
      `blocks have been stored since. ${whereItRuns}`,
    ],
    examples: ['blocks resend --token TOKEN'],
  })
    .addOption(token)
    .action(async ({ token }) => {
      const { writer } = await context.database()
      await resendBlock(writer, await requireSetAside(context, token))
      context.finish({ token, stored: true })
    })

  subcommand(blocks, 'discard', {
    about: 'Remove the file of a block that is set aside; its reports are lost',
    notes: [
      'If "stored" is true, its reports are in the database, but rollups may lack them: run "rollups check" afterwards.',
      whereItRuns,
    ],
    examples: ['blocks discard --token TOKEN'],
  })
    .addOption(token)
    .action(async ({ token }) => {
      const { path } = await requireSetAside(context, token)
      await rm(path)
      context.finish({ token, discarded: true })
    })
}

async function describe(database: Database, { path, token, shard, state, bytes, savedAt }: BlockFile) {
  const block = await readBlock(path, token)
  const rows = block?.rows ?? Buffer.alloc(0)
  return {
    token,
    shard,
    state,
    reports: rows.toString('utf8').split('\n').length - 1,
    tenants: block?.tenantIds ?? [],
    bytes,
    savedAt,
    stored: rows.length > 0 && (await isBlockStored(database, rows)),
  }
}

async function requireSetAside(context: Context, token: string): Promise<BlockFile> {
  const { DATA_DIR } = context.config()
  const file = (await listBlockFiles(DATA_DIR)).find((one) => one.token === token)
  if (!file) throw new Error(`There is no block ${token} in ${DATA_DIR}/collector`)
  if (isSetAside(file)) return file
  throw new Error(`The block ${token} is still being sent; its collector will finish it`)
}
