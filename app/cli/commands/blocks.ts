import { rm } from 'node:fs/promises'
import type { Command } from '@commander-js/extra-typings'
import { z } from 'zod'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { readBlock, resendBlock } from '../../collector/resend-block.ts'
import { readStoredIds } from '../../collector/restore-blocks.ts'
import { tenantsOf } from '../../collector/segment-file.ts'
import { isSetAside, isWaiting, listSegments, logFolder, type SegmentFile } from '../../collector/segment-folder.ts'
import { readInsertedRows } from '../../import/reports/inserted-rows.ts'
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
  const blocks = subcommand(program, 'blocks', { about: "A collector's log, and blocks of reports that it set aside" })

  subcommand(blocks, 'list', {
    about: 'Print a summary of the log of a collector, and the blocks set aside, oldest first',
    notes: [
      'Prints {"log": {"segments", "bytes", "oldestAt"}, "blocks": [{"token", "state", "reports", "tenants", "bytes", "savedAt", "stored"}]}.',
      'The collector sends the log. A block is set aside, and not sent again, if ClickHouse refused a value (refused) or if it is',
      `unreadable. "stored" is true if ClickHouse has any of its reports. ${whereItRuns}`,
    ],
    examples: ['blocks list'],
  }).action(async () => {
    const { writer } = await context.database()
    const files = await listSegments(logFolder(context.config().DATA_DIR))
    const aside = files.filter(isSetAside)
    context.finish({
      log: describeLog(files.filter(isWaiting)),
      blocks: await Promise.all(aside.map((file) => describe(writer, file))),
    })
  })

  subcommand(blocks, 'resend', {
    about: 'Store a block that ClickHouse refused and remove its file',
    notes: [
      `Fix the cause in the collector's log first. Reports that are already stored are found by their ids.`,
      whereItRuns,
    ],
    examples: ['blocks resend --token TOKEN'],
  })
    .addOption(token)
    .action(async ({ token }) => {
      const { writer, cluster } = await context.database()
      await resendBlock(writer, cluster, await requireSetAside(context, token))
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

function describeLog(files: readonly SegmentFile[]) {
  const [oldest] = files
  // A token begins with the milliseconds of its time.
  const oldestAt = oldest && new Date(Number.parseInt(oldest.token.slice(0, 12), 16))
  return {
    segments: files.length,
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    oldestAt: oldestAt && Number.isFinite(oldestAt.getTime()) ? oldestAt : null,
  }
}

async function describe(database: Database, { path, token, state, bytes, changedAt }: SegmentFile) {
  const { columns, records } = (await readBlock(path)) ?? { columns: [], records: [] }
  const rows = records.flatMap(({ lines }) => readInsertedRows(lines, columns))
  const stored = rows.length > 0 ? await readStoredIds(database, rows) : new Set()
  return {
    token,
    state,
    reports: rows.length,
    tenants: tenantsOf(rows),
    bytes,
    savedAt: new Date(changedAt),
    stored: rows.some(({ id }) => stored.has(id)),
  }
}

async function requireSetAside(context: Context, token: string): Promise<SegmentFile> {
  const folder = logFolder(context.config().DATA_DIR)
  const files = (await listSegments(folder)).filter((one) => one.token === token)
  const file = files.find(isSetAside)
  if (file) return file
  if (files.length === 0) throw new Error(`There is no block ${token} in ${folder}`)
  throw new Error(`The block ${token} is still being sent; its collector will finish it`)
}
