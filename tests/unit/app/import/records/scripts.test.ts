import { describe, expect, test } from 'vitest'
import { isLineError } from '../../../../../app/import/ndjson/line-error.ts'
import { isSkipped } from '../../../../../app/import/normalise/normalise-report.ts'
import { readElement } from '../../../../../app/import/normalise/post.ts'
import { readRecord } from '../../../../../app/import/records/read-record.ts'
import type { RecordType } from '../../../../../app/import/records/record-type.ts'
import { libraryAdvisories } from '../../../../../app/import/records/types/library-advisories.ts'
import { libraryFiles } from '../../../../../app/import/records/types/library-files.ts'
import { scriptCaptures } from '../../../../../app/import/records/types/script-captures.ts'
import { scriptDecisions } from '../../../../../app/import/records/types/script-decisions.ts'
import { normalisedBody } from '../../../../support/normalised.ts'
import { recordLineError } from '../../../../support/record-line-error.ts'

const hash = 'sha256-LXEWQrcmsEQBYnyp+6wy9chTD7GQPMTbAiWHF5IaSIE='
const siteId = '22222222-2222-4222-8222-222222222222'

describe('a csp-hash report', () => {
  const body = {
    documentURL: 'https://shop.example.test/cart?id=1',
    subresourceURL: 'https://cdn.example.test/a.js?v=3#x',
    hash,
    type: 'subresource',
    destination: 'script',
  }

  test('a csp-hash report stores a script and its hash on a page, and no issue', () => {
    expect(normalisedBody('csp-hash', body)).toMatchObject({
      reportType: 'csp-hash',
      documentUrl: 'https://shop.example.test/cart?id=1',
      scriptUrl: 'https://cdn.example.test/a.js',
      scriptHash: hash,
      reportedHash: hash,
      destination: 'script',
      sourceFile: '',
      blockedUrl: '',
      disposition: '',
      issueSubject: '',
      issueHost: '',
      noise: false,
    })
  })

  test.each([
    ['the query', 'a.js?v=3&key=AIza1#x', 'a.js?v=3&key=AIza1'],
    ['nothing without a query', 'a.js?#x', ''],
    ['no session', 'a.js?v=3&PHPSESSID=1b2c', ''],
    ['no token', 'a.js?accessToken=1', ''],
    ['no token of another name', 'a.js?x=eyJhbGciOiJIUzI1NiJ9.e30.c2ln', ''],
    ['no address of a person', 'a.js?for=ada%40example.test', ''],
    ['no query past the bound', `a.js?${'é'.repeat(3_000)}`, ''],
  ])('a csp-hash report stores of the URL of its request %s', (_, path, stored) => {
    const subresourceURL = `https://ada:secret@cdn.example.test/${path}`
    const requestUrl = stored && `https://cdn.example.test/${stored}`
    expect(normalisedBody('csp-hash', { ...body, subresourceURL })).toMatchObject({
      scriptUrl: 'https://cdn.example.test/a.js',
      requestUrl,
    })
  })

  test.each([
    ['sha256-LXEWQrcmsEQBYnyp-6wy9chTD7GQPMTbAiWHF5IaSIE', hash],
    ['2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881', hash],
    ['not a hash', ''],
    ['', ''],
  ])('a csp-hash report stores the hash %j as it was sent, and as %j', (reported, stored) => {
    expect(normalisedBody('csp-hash', { ...body, hash: reported })).toMatchObject({
      scriptHash: stored,
      reportedHash: reported,
    })
  })

  test('a csp-hash report stores a hostile hash up to its bound', () => {
    const { reportedHash, scriptHash } = normalisedBody('csp-hash', { ...body, hash: 'é'.repeat(100_000) })
    expect(reportedHash).toHaveLength(160)
    expect(scriptHash).toBe('')
  })

  test.each([
    ['without a script’s URL', { ...body, subresourceURL: '' }],
    ['of what is no http or https URL', { ...body, subresourceURL: 'blob:https://shop.example.test/1' }],
    ['of what is no script', { ...body, destination: 'style' }],
  ])('a csp-hash report is counted as skipped %s', (_, said) => {
    const element = readElement({ type: 'csp-hash', url: '', body: said })
    expect(isLineError(element) || isSkipped('csp-hash', element)).toBe(true)
  })

  test.each(['script', 'worker', 'serviceworker', ''])(
    'a csp-hash report of the destination %j is stored',
    (destination) => {
      const element = readElement({ type: 'csp-hash', url: '', body: { ...body, destination } })
      expect(isLineError(element) || isSkipped('csp-hash', element)).toBe(false)
    },
  )
})

test.each([
  ['script', 'https://cdn.example.test/a.js?v=3', 'https://cdn.example.test/a.js'],
  ['style', 'https://cdn.example.test/a.css', ''],
  ['', 'https://cdn.example.test/a.js', ''],
  ['script', 'inline', ''],
])('an integrity violation of the destination %j names the script of %s', (destination, blockedURL, scriptUrl) => {
  const report = normalisedBody('integrity-violation', { blockedURL, destination, reportOnly: true })
  expect(report).toMatchObject({ scriptUrl, scriptHash: '', reportedHash: '', blockedUrl: blockedURL })
})

const sha384 = 'sha384-ebQG0rHzyMWLQM7tyQr8x+2PsSours5Zw1/1uyi0jD2jG3RDvLslonNiH+Lwly3t'

const read = (type: RecordType, line: object) => readRecord(type, JSON.stringify(line), siteId)

/** Reason of the line error; '' where the line is read. */
const lineError = (type: RecordType, changes: object) =>
  recordLineError(type, { ...type.example, ...changes }, siteId) ?? ''

describe('a decision', () => {
  test.each([
    ['as the help shows it', {}, ''],
    ['by any mode', { integrityMode: 'any_content', pinnedHashes: null }, ''],
    ['that pins what the script had had', { pinnedHashes: null }, ''],
    ['as a rejection', { status: 'rejected', integrityMode: null, pinnedHashes: null }, ''],
    ['by nobody known by name', { decidedBy: { name: null, email: 'a@b.test' } }, ''],
    [
      'without a mode',
      { integrityMode: null, pinnedHashes: null },
      'integrityMode must be set if and only if the decision is an authorization',
    ],
    [
      'as a rejection with a mode',
      { status: 'rejected' },
      'integrityMode must be set if and only if the decision is an authorization',
    ],
    ['with hashes that its mode does not pin', { integrityMode: 'any_content' }, 'pinnedHashes must be null unless'],
    ['that pins nothing', { pinnedHashes: [] }, 'pinnedHashes must be'],
    ['that pins what is no hash', { pinnedHashes: ['x'] }, 'pinnedHashes[0] must be a SHA-256, SHA-384 or SHA-512'],
    ['as unreviewed', { status: 'unreviewed' }, 'status must be one of authorized, rejected'],
    ['about what is no URL', { url: '/a.js' }, 'url must be an http or https URL'],
    ['at no time', { decidedAt: '2026-01-31' }, 'decidedAt must be a time'],
    ['by nobody', { decidedBy: null }, 'decidedBy must be'],
  ])('a decision is accepted or rejected %s', (_, changes, reason) => {
    expect(lineError(scriptDecisions, changes)).toContain(reason)
    expect(lineError(scriptDecisions, changes) === '').toBe(reason === '')
  })

  test('a decision stores the script’s identity and normalised hashes', () => {
    const hex = '2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881'
    const record = read(scriptDecisions, {
      ...scriptDecisions.example,
      url: 'HTTPS://CDN.example.test/a.js?v=1#x',
      pinnedHashes: [hex],
    })
    expect(record).toMatchObject({ url: 'https://cdn.example.test/a.js', pinnedHashes: [hash], siteId })
  })
})

describe('a capture', () => {
  const refused = { state: 'refused', reason: 'daily_cap', size: null }
  const mismatched = { state: 'mismatched', receivedHash: hash, size: null }

  test.each([
    ['as the help shows it', {}, ''],
    ['while it is pending', { state: 'pending', finalUrl: null, size: null }, ''],
    ['that never reported back', { state: 'interrupted' }, ''],
    ['refused for a reason', refused, ''],
    ['of other bytes', mismatched, ''],
    ['refused for none', { state: 'refused' }, 'reason must be set if and only if the state is refused'],
    ['captured for a reason', { reason: 'timeout' }, 'reason must be set if and only if the state is refused'],
    ['of other bytes that are not told', { state: 'mismatched' }, 'receivedHash must be set if'],
    ['captured as other bytes', { receivedHash: hash }, 'receivedHash must be set if'],
    ['of 5 MB', { size: 5 * 1024 * 1024 }, ''],
    ['of more than 5 MB', { size: 5 * 1024 * 1024 + 1 }, 'size must be at most 5242880 if the state is captured'],
    ['of a SHA-384 that is refused', { ...refused, hash: sha384 }, ''],
    ['of a SHA-384 that is captured', { hash: sha384 }, 'hash must be a SHA-256 if the state is captured'],
    ['refused with a size', { ...refused, size: 1 }, 'size must be null if the state is refused or mismatched'],
    ['of other bytes with a size', { ...mismatched, size: 1 }, 'size must be null if the state is refused'],
    ['of what is no hash', { hash: 'x' }, 'hash must be a SHA-256, SHA-384 or SHA-512'],
  ])('a capture is accepted or rejected %s', (_, changes, reason) => {
    expect(lineError(scriptCaptures, changes)).toContain(reason)
    expect(lineError(scriptCaptures, changes) === '').toBe(reason === '')
  })
})

describe('public records', () => {
  test.each([
    ['libraryFiles', {}, ''],
    ['libraryFiles', { hash: sha384 }, ''],
    ['libraryFiles', { hash: '' }, 'hash must be'],
    ['libraryFiles', { catalog: 'two words' }, 'catalog must be one word without spaces'],
    ['libraryFiles', { siteId }, '"siteId" is not allowed'],
    ['libraryAdvisories', {}, ''],
    ['libraryAdvisories', { advisories: [] }, ''],
    ['libraryAdvisories', { advisories: [{ id: 'A', ranges: [], url: 'x' }] }, 'advisories[0].modifiedAt is required'],
    ['libraryAdvisories', { checkedAt: 'today' }, 'checkedAt must be a time'],
  ] as const)('a public record of %s is accepted or rejected with %j', (name, changes, reason) => {
    const type = { libraryFiles, libraryAdvisories }[name]
    const { siteFromFlag: _, ...isGlobal } = type
    const reasonGiven = recordLineError(isGlobal, { ...type.example, ...changes })
    expect(reasonGiven ?? '').toContain(reason)
    expect(reasonGiven !== undefined).toBe(reason !== '')
  })

  test('an advisory has a score from 0 to 10', () => {
    const advisory = { id: 'A', ranges: [], url: 'x', modifiedAt: '2026-01-01T00:00:00Z' }
    for (const cvssScore of [0, 10, 6.9])
      expect(lineError(libraryAdvisories, { advisories: [{ ...advisory, cvssScore }] })).toBe('')
    for (const cvssScore of [-0.1, 10.1, '9']) {
      expect(lineError(libraryAdvisories, { advisories: [{ ...advisory, cvssScore }] })).toContain('cvssScore')
    }
  })
})
