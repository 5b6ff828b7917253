import { execFile } from 'node:child_process'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** Programs that tests start in processes of their own, from the project's root. */
const programs = [
  'app/start.ts',
  'app/serve.ts',
  'app/collect.ts',
  'app/work.ts',
  'app/cli.ts',
  'tests/support/own-engine.ts',
  'tests/support/import-file.ts',
  'tests/support/own-worker.ts',
  'tests/support/own-alerts.ts',
]

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** Path of the JavaScript that `buildPrograms` makes of a program. */
export const builtPath = (program: string) => join(root, '.build', `${basename(program, '.ts')}.js`)

export async function buildPrograms(files: readonly string[]): Promise<void> {
  await promisify(execFile)(process.execPath, [join(root, 'app/build.js'), ...files], { cwd: root })
}

/** One build a run, though each vitest project has an instance of this module. */
const run = globalThis as { programsBuilt?: Promise<void> }

export async function setup(): Promise<void> {
  run.programsBuilt ??= buildPrograms(programs)
  await run.programsBuilt
}
