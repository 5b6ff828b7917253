import { randomUUID } from 'node:crypto'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { describe, expect, test } from 'vitest'
import type { Context } from '../../../../../app/cli/command/context.ts'
import { createProgram } from '../../../../../app/cli/program.ts'
import { cli } from '../../../../support/cli.ts'

type Found = { path: string[]; command: CommandUnknownOpts }

function everyCommand(path: string[], command: CommandUnknownOpts): Found[] {
  return [{ path, command }, ...command.commands.flatMap((sub) => everyCommand([...path, sub.name()], sub))]
}

const newProgram = () => createProgram({} as Context)
const entries = everyCommand([], newProgram())
const commands = entries.flatMap(({ path, command }) =>
  command.commands.length > 0 ? [] : [{ words: path.join(' '), path, command }],
)
const id = randomUUID()

/** Words of an example as a shell parts them, without redirections. */
function wordsOf(line: string): string[] {
  const words = line.replace(/ [<>].*$/, '').match(/"[^"]*"|\S+/g) ?? []
  return words.map((word) => word.replaceAll('"', '').replace(/^ID$/, id))
}

/** Options and arguments of a command, by name, as its action gets them; the action itself does not run. */
async function parse(words: readonly string[]): Promise<Record<string, unknown>> {
  const program = newProgram()
  const { command } = everyCommand([], program).find(({ path }) => path.join(' ') === leafOf(words)) ?? expect.fail()
  let parsed = {}
  command.action((...given: unknown[]) => {
    const values = command.registeredArguments.map((argument, at) => [argument.name(), given[at]])
    parsed = { ...Object.fromEntries(values), ...command.opts() }
  })
  await program.parseAsync(words, { from: 'user' })
  return parsed
}

const leafOf = (words: readonly string[]) =>
  commands.find(({ path }) => path.every((word, at) => word === words[at]))?.words

describe('help', () => {
  test.each(entries.map(({ path }) => [path.join(' '), path] as const))('"%s --help" prints help', async (_, path) => {
    for (const flag of ['--help', '-h']) {
      const { code, stdout, stderr } = await cli([...path, flag])
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toContain(`Usage: security-reporting${path.map((word) => ` ${word}`).join('')}`)
    }
  })

  test.each(commands)('help of "$words" names every flag and shows examples that parse', async ({ path, command }) => {
    const { stdout } = await cli([...path, '--help'])
    const oneLine = stdout.replaceAll(/\s+/g, ' ')
    for (const { long, description } of command.options) {
      expect(stdout).toContain(`${long}`)
      expect(oneLine).toContain(description)
    }
    for (const { description } of command.registeredArguments) expect(oneLine).toContain(description)
    const examples = stdout.split('Examples:\n')[1]?.trimEnd().split('\n') ?? []
    expect(examples.length).toBeGreaterThan(0)
    for (const example of examples) {
      expect(example).toMatch(/^ {2}security-reporting /)
      const piped = example.split(' | ').filter((part) => !part.startsWith('jq '))
      const parts = piped.map((part) => wordsOf(part.trim()))
      expect(parts.some(([, ...words]) => path.every((word, at) => words[at] === word))).toBe(true)
      for (const [name, ...words] of parts) {
        expect(name).toBe('security-reporting')
        await expect(parse(words)).resolves.toBeDefined()
      }
    }
  })

  test('help is printed although another argument is wrong', async () => {
    const { code, stdout } = await cli(['tenants', 'create', '--plan', 'gold', '--help'])
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('--plan <PLAN>') })
  })

  test.each([[], ['tenants'], ['sites'], ['keys'], ['import'], ['rollups']])(
    'goes to stderr with exit code 2 when no command is named: "%s"',
    async (...path) => {
      const { code, stdout, stderr } = await cli(path)
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toContain('Commands:')
    },
  )
})

const text201 = 'x'.repeat(201)
const tenantsCreate = ['tenants', 'create', '--name', 'A', '--plan', 'team']
const sitesCreate = ['sites', 'create', '--tenant', id, '--name', 'S', '--host']
const sampled = [...sitesCreate, 'a.example', '--sample']
const keysCreate = ['keys', 'create', '--tenant', id, '--name', 'K']

const refused: [what: string, words: string[], says: string][] = [
  [
    'an unknown command',
    ['tenant'],
    "unknown command 'tenant' (Did you mean tenants?); commands: start, serve, collect, worker, tenants, sites, keys, pages, scripts, sources, destinations, alerts, pci, import, export, reports, sql, csp, explain, rollups, blocks, migrate, backup, restore, cluster, doctor, completion",
  ],
  [
    'an unknown command of a group',
    ['keys', 'creat'],
    "unknown command 'creat' (Did you mean create?); commands: create, list, rotate, revoke",
  ],
  ['a name every object has', ['constructor'], "unknown command 'constructor'"],
  [
    'an unknown flag',
    [...tenantsCreate, '--retention', '3'],
    "unknown option '--retention'; options: --name, --plan, --retention-days",
  ],
  ['a flag that negates', [...tenantsCreate, '--no-name'], "unknown option '--no-name'"],
  ['a short flag', [...tenantsCreate, '-n', 'x'], "unknown option '-n'"],
  ['an unknown flag of a command without one', ['tenants', 'list', '--force'], 'options: none'],
  ['an unknown flag of a group', ['keys', '--all'], "unknown option '--all'; commands: create, list, rotate, revoke"],
  ['an unknown command with a line end', ['key\nx'], "unknown command 'key x'"],
  ['an unknown command that commands a terminal', ['\u001b[2Jx'], "unknown command '\\x1b[2Jx'"],
  ['a flag given twice', [...tenantsCreate, '--name', 'B'], '--name is given more than once'],
  [
    'a missing flag',
    ['tenants', 'create', '--plan', 'team'],
    "required option '--name <NAME>' not specified (Display name: 1 to 200",
  ],
  [
    'a flag without its value',
    ['tenants', 'create', '--name', '--plan', 'team'],
    "option '--name <NAME>' argument missing (Display name: 1 to 200 printable",
  ],
  [
    'a flag that ends the line',
    ['tenants', 'create', '--plan', 'team', '--name'],
    "option '--name <NAME>' argument missing (Display name: 1 to 200 printable",
  ],
  ['one word too many', [...tenantsCreate, 'extra'], 'unexpected argument "extra"; quote a value that contains spaces'],
  [
    'an empty name',
    ['tenants', 'create', '--name=', '--plan', 'team'],
    '--name must be 1 to 200 printable characters, not ""',
  ],
  ['a blank name', ['tenants', 'create', '--name', '  ', '--plan', 'team'], '--name must be'],
  ['a name with a line end', ['tenants', 'create', '--name', 'a\nb', '--plan', 'team'], '--name must be'],
  ['a name too long', ['tenants', 'create', '--name', text201, '--plan', 'team'], '--name must be'],
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
    '--tenant must be the id of a tenant, a UUID, not "acme"',
  ],
  ['a host with a scheme', [...sitesCreate, 'https://a.example'], '--host must be a host name'],
  ['a host with a path', [...sitesCreate, 'a.example/b'], '--host must be a host name'],
  ['a host with white space', [...sitesCreate, 'a b'], '--host must be a host name'],
  ['a wildcard alone', [...sitesCreate, '*'], '--host must be a host name'],
  ['a wildcard inside', [...sitesCreate, 'a.*.example'], '--host must be a host name'],
  ['an empty label', [...sitesCreate, 'a..example'], '--host must be a host name'],
  ['a user before the host', [...sitesCreate, 'me@a.example'], '--host must be a host name'],
  ['a port out of range', [...sitesCreate, 'a.example:99999'], '--host must be a host name'],
  [
    'no host',
    sitesCreate.slice(0, -1),
    "required option '--host <HOST>' not specified (Host of the site's pages: a host name",
  ],
  ['a sample rate of 0', [...sampled, 'crash=0'], '--sample must be a rate above 0 and up to 1 for one of'],
  ['a sample rate above 1', [...sampled, 'crash=1.5'], '--sample must be a rate above 0'],
  ['a sample rate of an unknown type', [...sampled, 'crashes=0.5'], 'such as crash=0.1, not "crashes=0.5"'],
  ['a sample rate of a type that browsers sample', [...sampled, 'network-error=0.5'], '--sample must be a rate'],
  [
    'an overlap without a unit',
    ['keys', 'rotate', '--id', id, '--overlap', '7'],
    '--overlap must be a whole number of minutes',
  ],
  ['an overlap too long', ['keys', 'rotate', '--id', id, '--overlap', '366d'], 'up to 365d, not "366d"'],
  [
    'an update of a limit that is no number',
    ['tenants', 'update', '--tenant', id, '--key-limit', 'none'],
    '--key-limit must be a whole number from 1 to 1000000, or plan for the plan\'s value, not "none"',
  ],
  [
    'an update of nothing',
    ['tenants', 'update', '--tenant', id],
    'Nothing to change: use one or more of --name, --plan',
  ],
  [
    'a deletion without its name',
    ['tenants', 'delete', '--tenant', id],
    "required option '--confirm <NAME>' not specified (The name of the tenant",
  ],
  ['a time gone by', [...keysCreate, '--expires-at', '2020-01-01T00:00:00Z'], '--expires-at must be a future time'],
  [
    'a time without a zone',
    [...keysCreate, '--expires-at', '2100-01-01T00:00:00'],
    '--expires-at must be a future time',
  ],
  ['a time beyond the store', [...keysCreate, '--expires-at', '2300-01-01T00:00:00Z'], 'before the year 2300'],
  [
    'no file',
    ['import', 'reports', '--tenant', id],
    "missing required argument 'FILE' (NDJSON file: the path of a file",
  ],
  ['no statement', ['sql'], "missing required argument 'STATEMENT' (The statement: one statement in quotes"],
  ['a format that is no name', ['sql', '--format', 'TSV; DROP', 'SELECT 1'], '--format must be a ClickHouse format'],
  ['a switch with a value', ['rollups', 'rebuild', '--force=yes'], '--force takes no value'],
]

describe('a command line', () => {
  test.each(refused)('the command line is refused for %s', async (_, words, says) => {
    const { code, stdout, stderr } = await cli(words, { environment: { DATA_DIR: '/nonexistent' } })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(says)
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  })

  test('an invalid environment variable is named in the error', async () => {
    const { code, stderr } = await cli(['migrate'], { environment: { CLICKHOUSE_PORT: 'x' } })
    expect(code).toBe(2)
    expect(stderr).toMatch(/^CLICKHOUSE_PORT must be a port/)
  })

  test('a value that begins with a dash is accepted behind an equals sign', async () => {
    const words = ['tenants', 'create', '--name=--plan', '--plan=team']
    expect(await parse(words)).toMatchObject({ name: '--plan', plan: 'team' })
  })

  test('flags can end with --', async () => {
    expect(await parse(['sql', '--', '--help'])).toMatchObject({ STATEMENT: '--help' })
    expect(await parse(['sql', '--format', 'CSV', '--', '-h'])).toMatchObject({ STATEMENT: '-h', format: 'CSV' })
  })

  test('hosts can be repeated, and are written as in URLs', async () => {
    const given = ['WWW.Example.com:8443', '*.Bücher.example', 'localhost', '[::1]:80', '10.0.0.1']
    const { host } = await parse([...sitesCreate.slice(0, -1), ...given.flatMap((one) => ['--host', one])])
    expect(host).toEqual(['www.example.com', '*.xn--bcher-kva.example', 'localhost', '[::1]', '10.0.0.1'])
  })

  test.each([
    ['tenants create', ['--name', '--plan'], []],
    ['import reports', ['--tenant'], ['FILE']],
    ['rollups check', [], []],
  ])('needs what its help calls required: %s', async (words, flags, positionals) => {
    const { command } = commands.find((one) => one.words === words) ?? expect.fail()
    const options = command.options.filter(({ mandatory }) => mandatory)
    expect(options.map(({ long }) => long)).toEqual(flags)
    expect(command.registeredArguments.filter(({ required }) => required).map((one) => one.name())).toEqual(positionals)
    const { stdout } = await cli([...words.split(' '), '--help'])
    expect(stdout.match(/\(required\)/g) ?? []).toHaveLength(flags.length)
  })
})
