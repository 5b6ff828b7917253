import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatHeaders, type HeaderFormat, headerFormats } from '../../../schema/header-formats.ts'
import { headerKindNames, reportingHeaders } from '../../../schema/reporting-headers.ts'
import { numberOfCases } from '../../support/number-of-cases.ts'

type Pairs = [name: string, value: string][]

/** Unescapes from left to right; an escape that is not in the table stays. */
const unescaped = (text: string, escapes: Readonly<Record<string, string>>) =>
  text.replace(/\\(.)/gs, (whole, character) => escapes[character] ?? whole)

/** Name and text of each quoted value, up to its first quote without a backslash. */
const quotedValues = (text: string, line: RegExp): Pairs =>
  [...text.matchAll(line)].map(([, name = '', value = '']) => [name, value])

const values = (pairs: Pairs, read: (text: string) => string): Pairs => pairs.map(([name, text]) => [name, read(text)])

interface Server {
  /** Headers that the server sends, as its source reads its configuration. */
  readonly read: (text: string) => Pairs
  /** Values that percent-encode what the server has no escape for. */
  readonly encoded: (value: string) => string
}

const controls = { n: '\n', r: '\r', t: '\t' }

const servers: Readonly<Record<keyof typeof headerFormats, Server>> = {
  // ngx_conf_read_token, then ngx_http_script_compile.
  nginx: {
    read: (text) => {
      expect(text).not.toContain('$')
      return values(quotedValues(text, /^add_header ([\w-]+) "((?:[^"\\]|\\.)*)" always;\n/gm), (value) =>
        unescaped(value, { ...controls, '\\': '\\', '"': '"', "'": "'" }),
      )
    },
    encoded: (value) => value.replaceAll('$', '%24'),
  },
  // ap_resolve_env and substring_conf, then parse_format_string of mod_headers.
  apache: {
    read: (text) => {
      expect(text).not.toContain('${')
      return values(quotedValues(text, /^Header always set ([\w-]+) "((?:[^"\\]|\\.)*)"\n/gm), (value) => {
        const format = unescaped(value, { '\\': '\\', '"': '"' })
        expect(format.replaceAll('%%', '')).not.toContain('%')
        return format
          .split('%%')
          .map((part) => unescaped(part, { ...controls, '\\': '\\' }))
          .join('%')
      })
    },
    encoded: (value) => value.replaceAll('$', '%24'),
  },
  // replaceEnvVars and next of the lexer, then replace of the replacer.
  caddy: {
    read: (text) => {
      expect(text).not.toContain('{$')
      return values(quotedValues(text, /^header ([\w-]+) "((?:[^"\\]|\\.)*)"\n/gm), (value) => {
        const placeholders = unescaped(value, { '"': '"' })
        expect(placeholders).not.toMatch(/(?<!\\)\{/)
        return placeholders.includes('{') ? placeholders.replaceAll(/\\([{}])/g, '$1') : placeholders
      })
    },
    encoded: (value) => value.replaceAll('\\', '%5C').replaceAll('{$', '{%24'),
  },
  express: {
    read: (text) => {
      const set: Pairs = []
      const app = {
        use: (middleware: (...given: unknown[]) => void) =>
          middleware({}, { set: (...pair: Pairs[number]) => set.push(pair) }, () => set.push(['next', ''])),
      }
      new Function('app', text)(app)
      expect(set.pop()).toEqual(['next', ''])
      return set
    },
    encoded: (value) => value,
  },
  // Lines below a path, of which Cloudflare trims the values.
  cloudflare: {
    read: (text) => {
      const [path, ...lines] = text.split('\n').slice(0, -1)
      expect(path).toBe('/*')
      return lines.map((line): Pairs[number] => {
        const [, name = '', value = ''] = /^ {2}([\w-]+): (.*)$/.exec(line) ?? []
        return [name, value.trim()]
      })
    },
    encoded: (value) => value.trim(),
  },
}

const formats = Object.entries(headerFormats) as [keyof typeof headerFormats, HeaderFormat][]

test.each(formats)('%s sends any value as it is given', (name, format) => {
  const { read, encoded } = servers[name]
  const aValue = fc.string({ unit: fc.constantFrom(...'\\"\'`{}$%#;:/,=<> ant24'), maxLength: 12 })
  fc.assert(
    fc.property(fc.array(aValue, { maxLength: 3 }), (given) => {
      const headers = given.map((value, at): Pairs[number] => [`X-${at}`, value])
      expect(read(formatHeaders(format, headers))).toEqual(headers.map(([name, value]) => [name, encoded(value)]))
    }),
    { numRuns: numberOfCases(1_000) },
  )
})

test.each(formats)('a value for %s is the values of its words', (_, { encode }) => {
  const words = ["'self'", 'https://a.test/$x{y}', '"\\', '{$a}\\', '50%']
  expect(words.map(encode).join(' ')).toBe(encode(words.join(' ')))
})

test.each(formats)('%s sends the headers of a site whose URL has a dollar sign', (name, format) => {
  const pairs = reportingHeaders('https://in.example/a%20b/$HOME', headerKindNames)
  const { read, encoded } = servers[name]
  expect(pairs.length).toBe(10)
  expect(read(formatHeaders(format, pairs))).toEqual(pairs.map(([name, value]) => [name, encoded(value)]))
})
