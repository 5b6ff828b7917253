import { fileURLToPath } from 'node:url'
import RepeatReporter from './support/repeat-reporter.ts'
import { skippedFiles } from './support/skipped-files.ts'

/** Milliseconds up to which a test waits for what should happen. Nothing is judged by them: other programs load the machine. */
const [eventLimit, testLimit] = [300_000, 900_000]

/** Options of every test, of `npm test` and of `npm run test:faults`. */
export const options = {
  root: fileURLToPath(new URL('..', import.meta.url)),
  testTimeout: testLimit,
  hookTimeout: testLimit,
  teardownTimeout: testLimit,
  expect: { poll: { timeout: eventLimit } },
  allowOnly: false,
  // A worker loads each module once for all of its files.
  isolate: false,
  // On two cores, as tests also wait for programs and clocks.
  maxWorkers: 4,
  exclude: skippedFiles(),
  reporters: ['default', new RepeatReporter()],
  ...(process.env.SEED !== undefined && { setupFiles: 'tests/support/use-seed.ts' }),
}

export const faults = 'tests/faults/**/*.test.ts'

/** Properties that the project `servers` runs too have fewer cases. */
export const runsAgain = { RUNS_AGAIN: '1' }
