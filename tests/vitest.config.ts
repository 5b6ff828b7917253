/** @module `npm test`: what a change can break, on one embedded ClickHouse, Redis and Chromium. */

import { defineConfig } from 'vitest/config'
import { faults, options, runsAgain } from './vitest-options.ts'

const alone = ['tests/unit/**/*.test.ts', 'tests/sql/**/*.test.ts']

const madeUp = 'tests/made-up/*.test.ts'

/** With a made-up report type and a made-up endpoint: their own tests, and again what holds for every type and every endpoint. */
const withMadeUp = [
  madeUp,
  'tests/contract/{access,description,limits}.test.ts',
  'tests/engine/issues/oracle.test.ts',
  'tests/engine/groups/browser-changes-oracle.test.ts',
]

export default defineConfig({
  test: {
    ...options,
    projects: [
      { extends: true, test: { name: 'alone', include: alone } },
      {
        extends: true,
        test: {
          name: 'servers',
          include: ['tests/**/*.test.ts'],
          exclude: [...alone, madeUp, faults],
          globalSetup: ['tests/support/programs.ts', 'tests/support/servers.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'made-up',
          env: runsAgain,
          include: withMadeUp,
          setupFiles: 'tests/made-up/add-made-up.ts',
          globalSetup: 'tests/support/servers.ts',
        },
      },
    ],
  },
})
