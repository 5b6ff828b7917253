import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, inject, test } from 'vitest'
import packageJson from '../../../package.json' with { type: 'json' }
import { builtPath } from '../../support/programs.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../..', import.meta.url))
const file = `${root}${packageJson.bin['security-reporting']}`

const env = { ...process.env, CLICKHOUSE_URL: inject('servers').readUrl }

test('the executable file runs commands from any folder', async () => {
  const { stdout } = await run(file, ['--help'], { cwd: tmpdir() })
  expect(stdout).toContain('Usage: security-reporting [options] [command]')
  expect(await run(file, ['--version'], { cwd: tmpdir() })).toEqual({ stdout: `${packageJson.version}\n`, stderr: '' })
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

test('output that cannot be written is an error, and one that nobody reads is none', async () => {
  const written = (target: string) => run('sh', ['-c', `"$0" tenants list ${target}`, file], { cwd: tmpdir(), env })
  await expect(written('> /dev/full')).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('ENOSPC') })
  expect(await written('| true')).toMatchObject({ stderr: '' })
})

test.each(['start', 'serve', 'collect', 'work'])(
  'the program %s with an argument says where its settings are',
  async (name) => {
    const command = name === 'work' ? 'worker' : name
    await expect(run('node', [builtPath(`app/${name}.ts`), '--help'], { cwd: tmpdir() })).rejects.toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(
        new RegExp(`^The program has no arguments\\. .* "security-reporting ${command} --help"\\n$`),
      ),
    })
  },
)

test('a command of a program starts it without its name', async () => {
  await expect(run(file, ['serve'], { cwd: tmpdir() })).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^CLICKHOUSE_URL is required, .*\n$/),
  })
})

test('npx runs it in the project', async () => {
  const { stdout } = await run('npx', ['--no', 'security-reporting', 'keys', '--help'], { cwd: root })
  expect(stdout).toContain('Usage: security-reporting keys')
})
