/** @module Programs that serve until a signal ends them, each by the command of its name. */

import { access } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Command, Option } from '@commander-js/extra-typings'
import type { Context } from '../command/context.ts'
import { subcommand } from '../command/subcommand.ts'

const settings = 'Settings are environment variables: see "doctor --settings". Ctrl-C lets running requests finish.'

/** A program starts when its file is loaded. */
const programs = [
  {
    name: 'start',
    about: 'Run ClickHouse, demo data, the API, the collector and the worker on this machine',
    notes: [
      'Data is stored in DATA_DIR (.data). With CLICKHOUSE_URL it uses that server, without demo data.',
      settings,
    ],
    load: () => import('../../start.ts'),
    drains: false,
  },
  {
    name: 'serve',
    about: 'Run only the API, as in production',
    notes: ['It needs CLICKHOUSE_URL, and REDIS_URL to share budgets between processes.', settings],
    load: () => import('../../serve.ts'),
    drains: false,
  },
  {
    name: 'collect',
    about: 'Run only the collector of browser reports',
    notes: [
      'It writes to CLICKHOUSE_URL, or to the embedded engine of DATA_DIR.',
      'With --drain it accepts no posts: it stores the reports that a collector left in a folder, and exits. Use it before a downgrade,',
      'or for the volume of a removed collector. It fails while a collector uses the folder.',
      settings,
    ],
    load: () => import('../../collect.ts'),
    drains: true,
  },
  {
    name: 'worker',
    about: 'Run only the worker: scans of monitored pages, and alerts',
    notes: [
      'It writes to CLICKHOUSE_URL, or to the embedded engine of DATA_DIR. If several workers run, only one is active; another takes',
      'over 30 s after it dies. It fetches pages only from public hosts and hosts in OUTBOUND_ALLOWED.',
      settings,
    ],
    load: () => import('../../work.ts'),
    drains: false,
  },
]

const drain = new Option('--drain <DIR>', "Store the log in a lost collector's DATA_DIR and exit")

export function addPrograms(program: Command, context: Context): void {
  for (const { name, about, notes, load, drains } of programs) {
    const command = subcommand(program, name, { about, notes, examples: [name] })
    if (drains) command.addOption(drain)
    command.action(async (options: { readonly drain?: string }) => {
      if (options.drain !== undefined) return drainFolder(context, options.drain)
      // The program has no arguments.
      process.argv.splice(2)
      await load()
    })
  }
}

async function drainFolder(context: Context, folder: string): Promise<void> {
  const { drainLog } = await import('../../collector/start-collector.ts')
  const { createLogger } = await import('../../program/create-logger.ts')
  const config = context.config()
  const { writer, cluster } = await context.database()
  const DATA_DIR = resolve(context.folder, folder)
  await access(join(DATA_DIR, 'collector'))
  await drainLog({ ...config, DATA_DIR }, writer, createLogger(config, 2), { cluster })
  context.finish({ drained: DATA_DIR })
}
