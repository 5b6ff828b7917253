import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isLineError } from '../../../../../app/import/ndjson/line-error.ts'
import { withoutUser } from '../../../../../app/import/normalise/without-user.ts'
import { recordTypes } from '../../../../../app/import/records/all-record-types.ts'
import { readRecord } from '../../../../../app/import/records/read-record.ts'
import { scans } from '../../../../../app/import/records/types/scans.ts'
import { fetches, scannedScript } from '../../../../../fixtures/scanned-scripts.ts'
import { completeScan } from '../../../../../fixtures/scans.ts'
import { storedTypeNames, storedTypeRows } from '../../../../../schema/report-types.ts'
import { normalisedBody } from '../../../../support/normalised.ts'

const secret = 'hunter2'

const scheme = fc.constantFrom('https', 'HTTP', 'ws', 'wss', 'ftp', 'turns', 'blob:https', 'filesystem:http', 'app+x')
const user = fc.constantFrom(
  secret,
  `a:${secret}`,
  `:${secret}`,
  `a@b:${secret}`,
  `${secret}:`,
  `%40:${secret}`,
  `${secret}%27`,
)
const rest = fc.constantFrom('', '/', '/npm/vue@3/a.js', '/a?b=c@d#e', '?x=https://z:hunter2@deep.test/', ':8443/a')
const url = fc.tuple(scheme, user, rest).map(([scheme, user, rest]) => `${scheme}://${user}@host.test${rest}`)
/** A field can be a URL, or text with URLs. */
const text = fc.oneof(
  url,
  url.map((url) => ` \t${url}`),
  url.map((url) => `at f (${url}:1:2)\nat @${url}\n`),
  url.map((url) => `script-src 'self' ${url}; report-uri ${url}`),
  // What the URL Standard reads as well, and no browser writes.
  fc.constantFrom(`https:/a:${secret}@host.test/`, `https:a:${secret}@host.test/`, `https:\\\\a:${secret}@host.test/`),
  fc.constantFrom(
    `https:///${secret}@host.test/`,
    `ht\ntps://a:${secret}@host.test/`,
    `https://a b:${secret}@host.test/`,
  ),
)

test.each(storedTypeNames)('no column of a stored %s has a user or a password of a URL', (type) => {
  const members = [...new Set(Object.values(storedTypeRows[type].body).flatMap(([, ...names]) => names))]
  const body = fc.record(Object.fromEntries([...members, 'documentUrl'].map((name) => [name, text])))
  fc.assert(
    fc.property(body, text, (body, url) => {
      // A destination that has scripts: identities of scripts are stored for these alone.
      for (const destination of [body.destination, 'script']) {
        const report = normalisedBody(type, { ...body, destination }, url)
        expect(JSON.stringify(report)).not.toContain(secret)
      }
    }),
    { numRuns: 200 },
  )
})

test.each([
  ['https://cdn.test/npm/vue@3/dist?a=b@c', 'https://cdn.test/npm/vue@3/dist?a=b@c'],
  ['https://Cdn.test:443/a b', 'https://Cdn.test:443/a b'],
  ['HTTPS://me:pw@Cdn.test:443/a b', 'HTTPS://Cdn.test:443/a b'],
  ['["https://a.test","me@shop.test"]', '["https://a.test","me@shop.test"]'],
  ["fetch('https://a.test','me@shop.test')", "fetch('https://a.test','me@shop.test')"],
  ['mail me@shop.test', 'mail me@shop.test'],
  ['f@https://shop.test/a.js:1:2\ng@https://shop.test/b.js', 'f@https://shop.test/a.js:1:2\ng@https://shop.test/b.js'],
])('of %j nothing else is changed', (text, stored) => {
  expect(withoutUser(text)).toBe(stored)
})

test('a text of a megabyte is read in time that grows with its length', () => {
  for (const unit of ['://', ':', '@', '://a', 'a@', '/']) {
    const long = unit.repeat(1_000_000 / unit.length)
    expect(withoutUser(`${long} me@shop.test`)).toContain('shop.test')
  }
})

/** Every place of a text in a value. */
function* textPaths(value: unknown, path: readonly PropertyKey[] = []): Generator<readonly PropertyKey[]> {
  if (typeof value === 'string') yield path
  else if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) yield* textPaths(inner, [...path, name])
  }
}

function withText(value: unknown, [name, ...path]: readonly PropertyKey[], text: string): unknown {
  if (name === undefined) return text
  const inner = value as Record<PropertyKey, unknown>
  const changed = { [name]: withText(inner[name], path, text) }
  return Array.isArray(value) ? Object.assign([...value], changed) : { ...inner, ...changed }
}

/** The example of the help is of a scan that failed. */
function scanWithScript() {
  const id = '5b1e0d9c-7a32-4c58-8f61-2d3e4f5a6b7c'
  const scan = completeScan({ id, pageId: id, scannedAt: '2026-01-31T04:00:00.000Z' })
  const script = scannedScript('/app.js', fetches.readable)
  const url = script.url?.replace('://', `://a:${secret}@`) ?? null
  return { ...scan, finalUrl: scan.scanUrl, result: { note: '' }, scripts: [{ ...script, url }] }
}

test.each(recordTypes.map((type) => [type.name, type] as const))('no column of imported %s has either', (_, type) => {
  const siteId = '22222222-2222-4222-8222-222222222222'
  const texts = [
    `https://a:${secret}@host.test/a.js`,
    `see https://a:${secret}@host.test/`,
    `https:/${secret}@host.test/`,
  ]
  const example = type === scans ? scanWithScript() : type.example
  let accepted = 0
  for (const path of textPaths(example)) {
    for (const text of texts) {
      const record = readRecord(type, JSON.stringify(withText(example, path, text)), siteId)
      if (record === undefined || isLineError(record)) continue
      accepted++
      expect(JSON.stringify(type.toRow(record, 1)), path.join('.')).not.toContain(secret)
    }
  }
  expect(accepted).toBeGreaterThan(0)
})
