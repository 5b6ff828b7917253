/** @module Programs that serve until a signal ends them, each by the command of its name. */

import type { Command } from '@commander-js/extra-typings'
import { subcommand } from '../command/subcommand.ts'

const settings = 'Settings are environment variables, which README.md lists. Ctrl-C finishes running requests.'

/** A program starts when its file is loaded. */
const programs = [
  {
    name: 'start',
    about: 'Run ClickHouse, demo data, the API, the collector and the worker on this machine',
    notes: ['The data lies in DATA_DIR (.data). With CLICKHOUSE_URL it uses that server, without demo data.', settings],
    load: () => import('../../start.ts'),
  },
  {
    name: 'serve',
    about: 'Run the API alone, as in production',
    notes: ['It needs CLICKHOUSE_URL, and REDIS_URL for budgets that several processes share.', settings],
    load: () => import('../../serve.ts'),
  },
  {
    name: 'collect',
    about: 'Run the collector of browsers’ reports alone',
    notes: ['It writes to CLICKHOUSE_URL, else to the embedded engine of DATA_DIR.', settings],
    load: () => import('../../collect.ts'),
  },
  {
    name: 'worker',
    about: 'Run the scans of monitored pages and the alerts alone',
    notes: [
      'It writes to CLICKHOUSE_URL, else to the embedded engine of DATA_DIR. Of several workers one scans, and another takes over',
      '30 s after it died. Pages of public hosts alone are fetched, and of hosts that OUTBOUND_ALLOWED names.',
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
