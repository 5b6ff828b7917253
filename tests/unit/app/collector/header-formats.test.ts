import { expect, test } from 'vitest'
import { formatHeaders, type HeaderFormat } from '../../../../app/collector/header-formats.ts'
import { siteAddress } from '../../../../app/collector/site-address.ts'

const { headers } = siteAddress('https://in.example/a%20b', 'T'.repeat(22))
const url = `https://in.example/a%20b/r/${'T'.repeat(22)}`

test.each<[HeaderFormat, RegExp, (value: string) => string]>([
  ['nginx', /^add_header ([\w-]+) "(.*)" always;$/gm, (value) => value],
  ['apache', /^Header always set ([\w-]+) "(.*)"$/gm, (value) => value.replaceAll('%%', '%')],
  ['caddy', /^header ([\w-]+) "(.*)"$/gm, (value) => value],
])('%s gets a line for each header, whose value it reads as it was', (format, line, unescaped) => {
  const text = formatHeaders(format, headers)
  expect(text).not.toMatch(/\$|[^\n]$/)
  const read = [...text.matchAll(line)].map(
    ([, name, value = '']) => `${name}: ${unescaped(value.replaceAll('\\"', '"'))}`,
  )
  expect(read).toEqual(headers)
  expect(text).toContain('\\"group\\":\\"default\\"')
})

test('express gets a middleware that sets them', () => {
  let middleware: (request: object, response: object, next: () => void) => void = () => {}
  const app = { use: (given: typeof middleware) => (middleware = given) }
  new Function('app', formatHeaders('express', headers))(app)
  const set: string[] = []
  const response = {
    set: (given: object) => set.push(...Object.entries(given).map(([name, value]) => `${name}: ${value}`)),
  }
  middleware({}, response, () => set.push('next'))
  expect(set).toEqual([...headers, 'next'])
  expect(set[0]).toContain(url)
})
