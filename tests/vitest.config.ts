import { defineConfig } from 'vitest/config'

const alone = ['tests/unit/**/*.test.ts', 'tests/sql/**/*.test.ts']

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    allowOnly: false,
    // Tests mostly wait: for ClickHouse, a deadline or a process.
    maxWorkers: 2,
    projects: [
      { extends: true, test: { name: 'alone', include: alone } },
      {
        extends: true,
        test: {
          name: 'servers',
          include: ['tests/**/*.test.ts'],
          exclude: alone,
          globalSetup: 'tests/support/servers.ts',
        },
      },
    ],
  },
})
