import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, inject, test } from 'vitest'
import packageJson from '../../../package.json' with { type: 'json' }

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../..', import.meta.url))
const file = `${root}${packageJson.bin['security-reporting']}`

test('the executable file runs commands from any folder', async () => {
  const { stdout } = await run(file, ['--help'], { cwd: tmpdir() })
  expect(stdout).toContain('Usage: security-reporting [options] [command]')
  expect(await run(file, ['--version'], { cwd: tmpdir() })).toEqual({ stdout: `${packageJson.version}\n`, stderr: '' })
  const env = { ...process.env, CLICKHOUSE_URL: inject('servers').readUrl }
  expect(await run(file, ['sql', 'SELECT 41 + 1'], { cwd: tmpdir(), env })).toEqual({ stdout: '42\n', stderr: '' })
})

test('an error of the executable file is one line and exit code 2', async () => {
  const failed = run(file, ['tenant'], { cwd: tmpdir() })
  await expect(failed).rejects.toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/^unknown command.*\n$/),
  })
})

test('npx runs it in the project', async () => {
  const { stdout } = await run('npx', ['--no', 'security-reporting', 'keys', '--help'], { cwd: root })
  expect(stdout).toContain('Usage: security-reporting keys')
})
