import { defineConfig } from 'vitest/config'

const alone = ['tests/unit/**/*.test.ts', 'tests/sql/**/*.test.ts']

const onCluster = 'tests/engine/cluster/*.test.ts'

/** Again on two shards: what depends on where rows lie. */
const again = [
  'tests/engine/*/*oracle.test.ts',
  'tests/contract/{cursors,expired-windows,isolation,missing-values,parameters,windows}.test.ts',
]

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    allowOnly: false,
    // Tests mostly wait: for ClickHouse, a deadline or a process.
    maxWorkers: 3,
    projects: [
      { extends: true, test: { name: 'alone', include: alone } },
      {
        extends: true,
        // Half as fast as one server, as the shards share its processors.
        test: {
          name: 'cluster',
          testTimeout: 60_000,
          include: [onCluster, ...again],
          globalSetup: 'tests/support/cluster-servers.ts',
        },
      },
      {
        extends: true,
        test: {
          name: 'servers',
          include: ['tests/**/*.test.ts'],
          exclude: [...alone, onCluster],
          globalSetup: 'tests/support/servers.ts',
        },
      },
    ],
  },
})
