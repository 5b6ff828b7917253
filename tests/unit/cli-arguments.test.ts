import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { allCommands } from '../../app/cli/all-commands.ts'
import type { Command, CommandGroup } from '../../app/cli/command.ts'
import { isGroup } from '../../app/cli/help.ts'
import { isOptional, parseArguments } from '../../app/cli/parse-arguments.ts'
import { cli } from '../support/cli.ts'

type Found = { path: string[]; entry: Command | CommandGroup }

function everyEntry(path: string[], entry: Command | CommandGroup): Found[] {
  const below = isGroup(entry)
    ? Object.entries(entry.commands).flatMap(([word, sub]) => everyEntry([...path, word], sub))
    : []
  return [{ path, entry }, ...below]
}

const entries = everyEntry([], allCommands)
const commands = entries.flatMap(({ path, entry }) => (isGroup(entry) ? [] : [{ words: path.join(' '), path, entry }]))
const id = randomUUID()

/** Words of an example as a shell parts them, without redirections. */
function wordsOf(line: string): string[] {
  const words = line.replace(/ [<>].*$/, '').match(/"[^"]*"|\S+/g) ?? []
  return words.map((word) => word.replaceAll('"', '').replace(/^ID$/, id))
}

describe('help', () => {
  test.each(entries.map(({ path }) => [path.join(' '), path] as const))('answers "%s --help"', async (_, path) => {
    for (const flag of ['--help', '-h']) {
      const { code, stdout, stderr } = await cli([...path, flag])
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toContain(`USAGE npm run --silent cli --${path.map((word) => ` ${word}`).join('')}`)
    }
  })

  test.each(commands)('of "$words" names every flag and shows examples that parse', async ({ path, entry }) => {
    const { stdout } = await cli([...path, '--help'])
    for (const [name, { kind, takes }] of Object.entries(entry.arguments)) {
      expect(stdout).toContain(kind === 'positional' ? takes : `--${name}`)
    }
    expect(entry.examples.length).toBeGreaterThan(0)
    for (const example of entry.examples) {
      expect(stdout).toContain(`npm run --silent cli -- ${example}`)
      const words = wordsOf(example)
      expect(words.slice(0, path.length)).toEqual(path)
      expect(() => parseArguments(entry, words.slice(path.length))).not.toThrow()
    }
  })

  test.each([[], ['tenants'], ['sites'], ['keys'], ['import'], ['rollups']])(
    'goes to stderr with exit code 2 when no command is named: "%s"',
    async (...path) => {
      const { code, stdout, stderr } = await cli(path)
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toContain('COMMANDS')
    },
  )
})

const text201 = 'x'.repeat(201)
const tenantsCreate = ['tenants', 'create', '--name', 'A', '--plan', 'team']
const sitesCreate = ['sites', 'create', '--tenant', id, '--name', 'S', '--host']
const keysCreate = ['keys', 'create', '--tenant', id, '--name', 'K']

const refused: [what: string, words: string[], says: string][] = [
  ['an unknown command', ['tenant'], 'there are tenants, sites, keys, import, sql, rollups, migrate'],
  ['an unknown command of a group', ['keys', 'creat'], 'there are create, list, revoke'],
  ['a name every object has', ['constructor'], 'is not a command'],
  [
    'an unknown flag',
    [...tenantsCreate, '--retention', '3'],
    '--retention is not a flag of this command; it takes --name',
  ],
  ['a flag of citty that negates', [...tenantsCreate, '--no-name'], '--no-name is not a flag'],
  ['a short flag', [...tenantsCreate, '-n', 'x'], '-n is not a flag'],
  ['a flag given twice', [...tenantsCreate, '--name', 'B'], '--name is given twice'],
  ['a missing flag', ['tenants', 'create', '--plan', 'team'], '--name is missing: it takes 1 to 200'],
  ['a flag without its value', ['tenants', 'create', '--name', '--plan', 'team'], '--name takes 1 to 200 printable'],
  ['a flag that ends the line', ['tenants', 'create', '--plan', 'team', '--name'], '--name takes 1 to 200 printable'],
  ['one word too many', [...tenantsCreate, 'extra'], '"extra" is one argument too many'],
  [
    'an empty name',
    ['tenants', 'create', '--name=', '--plan', 'team'],
    '--name takes 1 to 200 printable characters, not ""',
  ],
  ['a blank name', ['tenants', 'create', '--name', '  ', '--plan', 'team'], '--name takes'],
  ['a name with a line end', ['tenants', 'create', '--name', 'a\nb', '--plan', 'team'], '--name takes'],
  ['a name too long', ['tenants', 'create', '--name', text201, '--plan', 'team'], '--name takes'],
  [
    'an unknown plan',
    ['tenants', 'create', '--name', 'A', '--plan', 'gold'],
    'free, team, professional, business, enterprise, not "gold"',
  ],
  ['a number below its bounds', [...tenantsCreate, '--retention-days', '0'], 'a whole number from 1 to 3650, not "0"'],
  ['a number above its bounds', [...tenantsCreate, '--key-limit', '1000001'], 'a whole number from 1 to 1000000'],
  ['a number in another notation', [...tenantsCreate, '--tenant-limit', '0x10'], 'a whole number from 1'],
  [
    'a tenant that is no UUID',
    ['keys', 'list', '--tenant', 'acme'],
    '--tenant takes the id of a tenant, a UUID, not "acme"',
  ],
  ['a host with a scheme', [...sitesCreate, 'https://a.example'], '--host takes a host name'],
  ['a host with a path', [...sitesCreate, 'a.example/b'], '--host takes a host name'],
  ['a host with white space', [...sitesCreate, 'a b'], '--host takes a host name'],
  ['a wildcard alone', [...sitesCreate, '*'], '--host takes a host name'],
  ['a wildcard inside', [...sitesCreate, 'a.*.example'], '--host takes a host name'],
  ['an empty label', [...sitesCreate, 'a..example'], '--host takes a host name'],
  ['a user before the host', [...sitesCreate, 'me@a.example'], '--host takes a host name'],
  ['a port out of range', [...sitesCreate, 'a.example:99999'], '--host takes a host name'],
  ['no host', sitesCreate.slice(0, -1), '--host is missing'],
  ['a time gone by', [...keysCreate, '--expires-at', '2020-01-01T00:00:00Z'], '--expires-at takes a time ahead'],
  ['a time without a zone', [...keysCreate, '--expires-at', '2100-01-01T00:00:00'], '--expires-at takes a time ahead'],
  ['a time beyond the store', [...keysCreate, '--expires-at', '2300-01-01T00:00:00Z'], 'before the year 2300'],
  ['no file', ['import', 'reports', '--tenant', id], 'FILE is missing'],
  ['no statement', ['sql'], 'STATEMENT is missing'],
  ['a format that is no name', ['sql', '--format', 'TSV; DROP', 'SELECT 1'], '--format takes a format of ClickHouse'],
  ['a switch with a value', ['rollups', 'rebuild', '--force=yes'], '--force takes no value'],
]

describe('a command line', () => {
  test.each(refused)('is refused for %s', async (_, words, says) => {
    const { code, stdout, stderr } = await cli(words, { environment: { DATA_DIR: '/nonexistent' } })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(says)
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  })

  test('is refused for a bad environment variable, by its name', async () => {
    const { code, stderr } = await cli(['migrate'], { environment: { CLICKHOUSE_PORT: 'x' } })
    expect(code).toBe(2)
    expect(stderr).toMatch(/^CLICKHOUSE_PORT must be a port/)
  })

  test('may give a value that begins with a dash behind an equals sign', () => {
    const { entry } = commands.find(({ words }) => words === 'tenants create') ?? expect.fail()
    expect(parseArguments(entry, ['--name=--plan', '--plan=team'])).toMatchObject({ name: '--plan', plan: 'team' })
  })

  test('may end its flags with --', () => {
    const { entry } = commands.find(({ words }) => words === 'sql') ?? expect.fail()
    expect(parseArguments(entry, ['--', '--help'])).toMatchObject({ statement: '--help' })
  })

  test('may repeat a host, and gets hosts as URLs write them', () => {
    const { entry } = commands.find(({ words }) => words === 'sites create') ?? expect.fail()
    const given = ['WWW.Example.com:8443', '*.Bücher.example', 'localhost', 'www.example.com', '[::1]:80', '10.0.0.1']
    const { host } = parseArguments(entry, ['--tenant', id, '--name', 'S', ...given.flatMap((one) => ['--host', one])])
    expect(host).toEqual(['www.example.com', '*.xn--bcher-kva.example', 'localhost', '[::1]', '10.0.0.1'])
  })

  test('needs what its help calls required', () => {
    const required = (words: string) =>
      Object.entries(commands.find((one) => one.words === words)?.entry.arguments ?? {})
        .filter(([, argument]) => !isOptional(argument))
        .map(([name]) => name)
    expect(required('tenants create')).toEqual(['name', 'plan'])
    expect(required('import reports')).toEqual(['tenant', 'file'])
    expect(required('rollups check')).toEqual([])
  })
})
