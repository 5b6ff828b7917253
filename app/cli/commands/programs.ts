/** @module Programs that serve until a signal ends them, each by the command of its name. */

import type { Command } from '@commander-js/extra-typings'
import { subcommand } from '../command/subcommand.ts'

const settings = 'Settings are environment variables: see "doctor --settings". Ctrl-C finishes running requests.'

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
  },
  {
    name: 'serve',
    about: 'Run only the API, as in production',
    notes: ['It needs CLICKHOUSE_URL, and REDIS_URL to share budgets between processes.', settings],
    load: () => import('../../serve.ts'),
  },
  {
    name: 'collect',
    about: 'Run only the collector of browser reports',
    notes: ['It writes to CLICKHOUSE_URL, or to the embedded engine of DATA_DIR.', settings],
    load: () => import('../../collect.ts'),
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
  },
]

export function addPrograms(program: Command): void {
  for (const { name, about, notes, load } of programs) {
    subcommand(program, name, { about, notes, examples: [name] }).action(async () => {
      // The program has none of its own.
      process.argv.splice(2)
      await load()
    })
  }
}
