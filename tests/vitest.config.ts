import { defineConfig } from 'vitest/config'

const alone = ['tests/unit/**/*.test.ts', 'tests/sql/**/*.test.ts']

const onCluster = 'tests/engine/cluster/*.test.ts'

/** Again on two shards: what depends on where rows lie. */
const again = [
  'tests/engine/*/*oracle.test.ts',
  'tests/contract/{access,expired-windows,isolation,key-scopes,missing-values}.test.ts',
]

/** Changes a module: the report types. */
const madeUpType = 'tests/contract/made-up-report-type.test.ts'

/** Milliseconds up to which a test waits for what should happen. Nothing is judged by them: other programs load the machine. */
const [eventLimit, testLimit] = [300_000, 900_000]

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    testTimeout: testLimit,
    hookTimeout: testLimit,
    expect: { poll: { timeout: eventLimit } },
    allowOnly: false,
    // A worker loads each module once for all of its files.
    isolate: false,
    // On two cores, as tests also wait for programs and clocks.
    maxWorkers: 4,
    projects: [
      { extends: true, test: { name: 'alone', include: alone } },
      {
        extends: true,
        test: {
          name: 'cluster',
          include: [onCluster, ...again],
          globalSetup: ['tests/support/programs.ts', 'tests/support/cluster-servers.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'servers',
          include: ['tests/**/*.test.ts'],
          exclude: [...alone, onCluster, madeUpType],
          globalSetup: ['tests/support/programs.ts', 'tests/support/servers.ts'],
        },
      },
      {
        extends: true,
        test: { name: 'made-up type', include: [madeUpType], isolate: true, globalSetup: 'tests/support/servers.ts' },
      },
    ],
  },
})
