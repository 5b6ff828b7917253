import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { cli } from '../../../../support/cli.ts'

const complete = async (...words: readonly string[]) =>
  (await cli(['complete', '--', ...words])).stdout.trim().split('\n')

test('a word is completed with the commands and the options of the command line', async () => {
  expect(await complete('')).toEqual(
    expect.arrayContaining(['start', 'serve', 'collect', 'worker', 'pages', 'tenants', 'sql', 'completion']),
  )
  expect(await complete('te')).toEqual(['tenants'])
  expect(await complete('keys', '')).toEqual(['create', 'list', 'rotate', 'revoke'])
  expect(await complete('keys', 'create', '--t')).toEqual(['--tenant'])
  expect(await complete('keys', 'list', '--')).toEqual(['--tenant', '--help'])
  expect(await complete('--v')).toEqual(['--version'])
})

test('no word is offered for the value of an option, nor for a file, so that the shell offers files', async () => {
  expect(await complete('keys', 'create', '--tenant', '')).toEqual([''])
  expect(await complete('import', 'reports', '')).toEqual([''])
})

test('every command and every option of --help is offered', async () => {
  const { stdout } = await cli(['--help'])
  const listed = [...(/Commands:\n((?: {2}.*\n)+)/.exec(stdout)?.[1] ?? '').matchAll(/^ {2}([a-z-]+)/gm)].map(
    ([, name]) => name,
  )
  expect(listed.length).toBeGreaterThan(9)
  expect(await complete('')).toEqual(listed)
})

test.each(['bash', 'zsh', 'fish'])('the script of %s calls the command line', async (shell) => {
  const { code, stdout } = await cli(['completion', shell])
  expect(code).toBe(0)
  expect(stdout).toContain('security-reporting complete --')
  // Shells that this machine has read it without an error.
  if (existsSync(`/usr/bin/${shell}`)) execFileSync(shell, ['-n'], { input: stdout })
})

test('bash completes by the script', async () => {
  const { stdout } = await cli(['completion', 'bash'])
  const typed = `security-reporting() { printf '%s\\n' "$@"; }
${stdout}
COMP_WORDS=(security-reporting keys cr); COMP_CWORD=2; _security_reporting; printf '%s ' "\${COMPREPLY[@]}"`
  expect(execFileSync('bash', ['-c', typed], { encoding: 'utf8' })).toBe('complete -- keys cr ')
})

test('another shell is an error with those that there are', async () => {
  const { code, stderr } = await cli(['completion', 'tcsh'])
  expect({ code, stderr }).toEqual({ code: 2, stderr: 'SHELL must be one of bash, zsh, fish, not "tcsh"\n' })
})
