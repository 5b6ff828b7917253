import { describe, expect, inject, test } from 'vitest'
import { cli, startCli } from '../../support/cli.ts'

const environment = () => ({ CLICKHOUSE_URL: inject('servers').writeUrl })
const ask = (words: readonly string[], stdin?: string) =>
  cli(['sql', ...words], { environment: environment(), ...(stdin !== undefined && { stdin }) })

describe('sql', () => {
  test('prints TSV into a pipe', async () => {
    expect(await ask(["SELECT number, 'a\\tb' FROM numbers(2)"])).toEqual({
      code: 0,
      stdout: '0\ta\\tb\n1\ta\\tb\n',
      stderr: '',
    })
  })

  test('prints any other format asked for, the statement deciding before the flag', async () => {
    expect((await ask(['--format', 'JSONEachRow', 'SELECT 1 AS n'])).stdout).toBe('{"n":1}\n')
    expect((await ask(['--format', 'JSONEachRow', 'SELECT 1 AS n FORMAT CSV'])).stdout).toBe('1\n')
  })

  test('commands no terminal with what a report holds, and gives a pipe every byte', async () => {
    const statement = ["SELECT unhex('1B5D303B4107C29B316D') AS message FORMAT TSVRaw"]
    expect((await ask(statement)).stdout).toBe('\u001b]0;A\u0007\u009b1m\n')
    const shown = await cli(['sql', ...statement], { environment: environment(), isTerminal: true })
    expect(shown).toEqual({ code: 0, stdout: '\\x1b]0;A\\x07\\x9b1m\n', stderr: '' })
  })

  test('reads a statement from stdin', async () => {
    expect((await ask(['-'], 'SELECT 1 + 1;\n')).stdout).toBe('2\n')
  })

  test('exits 2 with the words of the engine on a mistake', async () => {
    const { code, stdout, stderr } = await ask(['SELECT nothing FROM numbers(1)'])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/nothing/)
  })

  test('exits 2 with the reason alone, behind the rows before it, when the engine fails on the way', async () => {
    const { code, stdout, stderr } = await ask([
      "SELECT throwIf(number = 900000, 'too far'), repeat('x', 99) FROM numbers(1000000) SETTINGS max_block_size = 1000",
    ])
    expect(code).toBe(2)
    expect(stderr).toMatch(/^[^\n]*too far[^\n]*\n$/)
    const rows = stdout.split('\n')
    expect(rows.length).toBeGreaterThan(1_000)
    expect(new Set(rows)).toEqual(new Set([`0\t${'x'.repeat(99)}`, '']))
  })

  test.each([
    'INSERT INTO tenants (id) VALUES (generateUUIDv4())',
    'DROP TABLE tenants',
    'ALTER TABLE reports DELETE WHERE 1',
  ])('cannot write: %s', async (statement) => {
    expect((await ask([statement])).code).toBe(2)
  })

  test('reads as a user that can do nothing else', async () => {
    const asReader = { environment: { CLICKHOUSE_URL: inject('servers').readUrl } }
    expect(await cli(['sql', 'SELECT 1'], asReader)).toEqual({ code: 0, stdout: '1\n', stderr: '' })
  })

  test('streams more than a pipe holds, and ends quietly when its reader leaves', async () => {
    const question = ['sql', 'SELECT number, repeat(toString(number), 20) FROM numbers(300000)']
    const whole = await startCli(question, { environment: environment() }).ended
    expect(whole.code).toBe(0)
    expect(whole.stdout.split('\n')).toHaveLength(300_001)
    const left = startCli(question, { environment: environment(), closeStdoutEarly: true })
    expect(await left.ended).toMatchObject({ code: 0, stderr: '' })
  })
})
