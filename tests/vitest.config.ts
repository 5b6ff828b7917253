import { defineConfig } from 'vitest/config'

const alone = ['tests/unit/**/*.test.ts', 'tests/sql/**/*.test.ts']

const onCluster = 'tests/engine/cluster/*.test.ts'

/** Again on two shards: what depends on where rows lie. */
const again = [
  'tests/engine/*/*oracle.test.ts',
  'tests/contract/{access,expired-windows,isolation,key-scopes,missing-values}.test.ts',
]

const madeUp = 'tests/made-up/*.test.ts'

/** With a made-up report type and a made-up endpoint: their own tests, and again what holds for every type and every endpoint. */
const withMadeUp = [
  madeUp,
  'tests/contract/{access,description,limits}.test.ts',
  'tests/engine/issues/oracle.test.ts',
  'tests/engine/groups/browser-changes-oracle.test.ts',
]

/** Properties that the project `servers` runs too have fewer cases. */
const runsAgain = { RUNS_AGAIN: '1' }

/** Milliseconds up to which a test waits for what should happen. Nothing is judged by them: other programs load the machine. */
const [eventLimit, testLimit] = [300_000, 900_000]

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    testTimeout: testLimit,
    hookTimeout: testLimit,
    teardownTimeout: testLimit,
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
          env: runsAgain,
          include: [onCluster, ...again],
          globalSetup: ['tests/support/programs.ts', 'tests/support/cluster-servers.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'servers',
          include: ['tests/**/*.test.ts'],
          exclude: [...alone, onCluster, madeUp],
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
