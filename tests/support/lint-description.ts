import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const require = createRequire(import.meta.url)
const run = promisify(execFile)

/** What a linter found. */
export interface LintProblem {
  readonly ruleId: string
  readonly severity: string
  readonly message: string
}

/** Lints an OpenAPI document with the project's settings, without network or telemetry. */
export async function lintDescription(description: string): Promise<LintProblem[]> {
  const folder = mkdtempSync(join(tmpdir(), 'openapi-'))
  const file = join(folder, 'openapi.json')
  writeFileSync(file, description)
  const program = join(require.resolve('@redocly/cli/package.json'), '../bin/cli.js')
  const config = new URL('../../.ci/redocly.yaml', import.meta.url).pathname
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  try {
    // Exit code 1 with problems on stdout.
    const { stdout } = await run(process.execPath, [program, 'lint', '--config', config, '--format=json', file], {
      env,
    }).catch((failed: { stdout?: string }) => {
      if (failed.stdout) return { stdout: failed.stdout }
      throw failed
    })
    return JSON.parse(stdout).problems
  } finally {
    rmSync(folder, { recursive: true })
  }
}
