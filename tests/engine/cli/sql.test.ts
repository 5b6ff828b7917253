import { describe, expect, inject, test } from 'vitest'
import { cli, startCli } from '../../support/cli.ts'

const environment = () => ({ CLICKHOUSE_URL: inject('servers').writeUrl })
const send = (words: readonly string[], stdin?: string) =>
  cli(['sql', ...words], { environment: environment(), ...(stdin !== undefined && { stdin }) })

describe('sql', () => {
  test('the command prints TSV into a pipe', async () => {
    expect(await send(["SELECT number, 'a\\tb' FROM numbers(2)"])).toEqual({
      code: 0,
      stdout: '0\ta\\tb\n1\ta\\tb\n',
      stderr: '',
    })
  })

  test('FORMAT in the statement wins over the --format flag', async () => {
    expect((await send(['--format', 'JSONEachRow', 'SELECT 1 AS n'])).stdout).toBe('{"n":1}\n')
    expect((await send(['--format', 'JSONEachRow', 'SELECT 1 AS n FORMAT CSV'])).stdout).toBe('1\n')
  })

  test('control characters are escaped on a terminal and unchanged in a pipe', async () => {
    const statement = ["SELECT unhex('1B5D303B4107C29B316D') AS message FORMAT TSVRaw"]
    expect((await send(statement)).stdout).toBe('\u001b]0;A\u0007\u009b1m\n')
    const shown = await cli(['sql', ...statement], { environment: environment(), isTerminal: true })
    expect(shown).toEqual({ code: 0, stdout: '\\x1b]0;A\\x07\\x9b1m\n', stderr: '' })
  })

  test('the command reads a statement from stdin', async () => {
    expect((await send(['-'], 'SELECT 1 + 1;\n')).stdout).toBe('2\n')
  })

  test('a wrong statement exits 2 with the message of ClickHouse', async () => {
    const { code, stdout, stderr } = await send(['SELECT nothing FROM numbers(1)'])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/nothing/)
  })

  test('a syntax error is one line, without the keywords that ClickHouse expected', async () => {
    const { code, stdout, stderr } = await send(['SELEC 1'])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^Syntax error: failed at position \d+ \([^\n]{1,40}\n$/)
  })

  test('a failure while streaming exits 2 with its reason, after the rows before it', async () => {
    const { code, stdout, stderr } = await send([
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
    expect((await send([statement])).code).toBe(2)
  })

  test('the command reads as a user without other rights', async () => {
    const asReader = { environment: { CLICKHOUSE_URL: inject('servers').readUrl } }
    expect(await cli(['sql', 'SELECT 1'], asReader)).toEqual({ code: 0, stdout: '1\n', stderr: '' })
  })

  test('rows stream through a full pipe, and a closed pipe ends the command quietly', async () => {
    const randomRequest = ['sql', 'SELECT number, repeat(toString(number), 20) FROM numbers(300000)']
    const whole = await startCli(randomRequest, { environment: environment() }).ended
    expect(whole.code).toBe(0)
    expect(whole.stdout.split('\n')).toHaveLength(300_001)
    const left = startCli(randomRequest, { environment: environment(), closeStdoutEarly: true })
    expect(await left.ended).toMatchObject({ code: 0, stderr: '' })
  })
})
