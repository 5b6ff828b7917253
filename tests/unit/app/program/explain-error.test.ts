import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir, open, readdir, readFile, stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getSystemErrorMap } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { explainError } from '../../../../app/program/explain-error.ts'
import { Problem } from '../../../../schema/problems.ts'

let folder: string
let file: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'explain-error-'))
  file = join(folder, 'file')
  writeFileSync(file, '')
})

afterAll(() => rmSync(folder, { recursive: true }))

const thrown = (action: Promise<unknown>): Promise<unknown> =>
  action.then(
    () => expect.unreachable(),
    (error: unknown) => error,
  )

const connected = (port: number) => new Promise<never>((_, reject) => connect(port, '127.0.0.1').once('error', reject))

test('errors of the operating system are a sentence with the path or the address, and what to do', async () => {
  const none = join(folder, 'none')
  const explained = async (action: Promise<unknown>) => explainError(await thrown(action))
  expect(await explained(stat(none))).toBe(`${none} does not exist: correct the path`)
  expect(await explained(readdir(file))).toBe(`${file} uses a file as a folder: correct the path`)
  expect(await explained(mkdir(file))).toBe(`${file} already exists: use another path`)
  expect(await explained(open(folder, 'w'))).toBe(`${folder} is a folder: use the path of a file`)
  // A read names no path.
  expect(await explained(readFile(folder))).toBe('The file is a folder: use the path of a file')
  expect(await explained(connected(1))).toBe(
    '127.0.0.1:1 refuses connections: start the server, or correct host and port',
  )
})

/** As Node makes an error of a file, of a connection and of a lookup. */
const makers = {
  file: (code: string, text: string) =>
    Object.assign(new Error(`${code}: ${text}, stat '/data/a.ndjson'`), {
      code,
      syscall: 'stat',
      path: '/data/a.ndjson',
    }),
  connection: (code: string) =>
    Object.assign(new Error(`connect ${code} ::1:6379`), { code, syscall: 'connect', address: '::1', port: 6379 }),
  lookup: (code: string) =>
    Object.assign(new Error(`getaddrinfo ${code} db.test`), { code, syscall: 'getaddrinfo', hostname: 'db.test' }),
}

test('no error of the operating system shows its call or two lines', () => {
  const codes = [...getSystemErrorMap().values(), ['ENOTFOUND', 'no such host'] as const]
  expect(codes.length).toBeGreaterThan(60)
  for (const [code, text] of codes) {
    const [ofFile, ofConnection, ofLookup] = Object.values(makers).map((make) => explainError(make(code, text)))
    expect(ofFile).toMatch(/^\/data\/a\.ndjson [a-z].*[a-z)"]$/)
    expect(ofConnection).toMatch(/^\[::1\]:6379 [a-z].*[a-z)"]$/)
    expect(ofLookup).toMatch(/^db\.test [a-z].*[a-z)"]$/)
    for (const sentence of [ofFile, ofConnection, ofLookup]) {
      expect(sentence).not.toMatch(/\n|\b(stat|connect|getaddrinfo)\b/)
    }
  }
})

test.each(['ENOENT', 'EACCES', 'EISDIR', 'ENOSPC', 'EPERM'])('%s of a file says what to do', (code) => {
  expect(explainError(makers.file(code, ''))).toMatch(/^\/data\/a\.ndjson is .*: |does not exist: correct/)
})

test.each(['ECONNREFUSED', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN'])('%s of a server says what to do', (code) => {
  expect(explainError(makers.lookup(code))).toMatch(/^db\.test .*: \w+/)
})

test('the first cause is explained', () => {
  const refused = new AggregateError([makers.connection('ECONNREFUSED')], '')
  expect(explainError(new Problem('upstream_unavailable', undefined, { cause: refused }))).toMatch(
    /^\[::1\]:6379 refuses/,
  )
})

test('a syntax error is without the keywords that ClickHouse expected', () => {
  const keywords = Array.from({ length: 40 }, (_, index) => `KEYWORD${index}`).join(', ')
  const error = new Error(`Syntax error: failed at position 1 (SELEC): SELEC 1. Expected one of: ${keywords}. `)
  expect(explainError(error)).toBe('Syntax error: failed at position 1 (SELEC): SELEC 1.')
})

test('any other error is its message, or else its name', () => {
  expect(explainError(new Error('There is no tenant A'))).toBe('There is no tenant A')
  expect(explainError(new TypeError(''))).toBe('TypeError')
  expect(explainError('text')).toBe('text')
})
