import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApi, type TestApi } from '../../support/api.ts'
import { done, makeTenant, refused } from '../../support/cli-commands.ts'
import { aSighting } from '../../support/contract.ts'

let api: TestApi
let site: readonly string[]

beforeAll(async () => {
  api = await startApi()
  const tenantId = await makeTenant()
  const siteId = await api.createSite(tenantId)
  site = ['--tenant', tenantId, '--site', siteId]
  await api.insertReports([
    aSighting({ tenantId, siteId, scriptUrl: url, scriptHash: hash, reportedHash: hash }),
    aSighting({ tenantId, siteId, scriptUrl: unhashed }),
  ])
})

afterAll(() => api?.close())

const url = 'https://pay.example.com/form.js'
const hash = `sha256-${'A'.repeat(43)}=`
const unhashed = 'https://pay.example.com/opaque.js'
const about = (email: string, text: string) => ['--url', `${url}?v=2`, '--by', email, '--justification', text]
const listed = async (...words: string[]) => (await done('scripts', 'list', ...site, ...words)).response.scripts

test('decisions are appended: the latest counts, with who decided and why', async () => {
  const ada = about('ada@example.com', 'Card form')
  const { response: first } = await done('scripts', 'authorize', ...site, ...ada)
  expect(first).toMatchObject({ url, status: 'authorized', integrityMode: 'pinned_hashes', justification: 'Card form' })
  expect(await listed('--status', 'authorized')).toMatchObject([{ url, integrityMode: 'pinned_hashes' }])
  await done('scripts', 'authorize', ...site, ...ada, '--any-content')
  expect(await listed('--status', 'authorized')).toMatchObject([{ url, integrityMode: 'any_content' }])
  const { response: last } = await done('scripts', 'reject', ...site, ...about('bob@example.com', 'Unused'))
  expect(last).toMatchObject({ status: 'rejected', integrityMode: null, decidedBy: { email: 'bob@example.com' } })
  const [script] = await listed('--status', 'rejected')
  expect(script).toMatchObject({ status: 'rejected', justification: 'Unused', decidedBy: { email: 'bob@example.com' } })
  const key = await api.createKey(site[1] ?? '')
  const { body } = await api.get(`/v1/sites/${site[3]}/scripts/${script.id}`, { key })
  expect(body.data.decisions.map(({ status }: { readonly status: string }) => status)).toEqual([
    'authorized',
    'authorized',
    'rejected',
  ])
})

test('a script that the site has not seen is decided nothing about, and one without a hash is not pinned', async () => {
  const why = ['--by', 'ada@example.com', '--justification', 'x']
  const mistyped = ['--url', 'https://pay.example.com/from.js', ...why]
  const unknown = 'The site has no script "https://pay.example.com/from.js": see "scripts list"'
  expect(await refused('scripts', 'authorize', ...site, ...mistyped)).toBe(
    `${unknown}, or authorize it with --hash or --any-content`,
  )
  expect(await refused('scripts', 'reject', ...site, ...mistyped)).toBe(unknown)
  expect(await refused('scripts', 'authorize', ...site, '--url', unhashed, ...why)).toBe(
    `The script "${unhashed}" has no hash to pin, because no scan or browser could read it: use --hash, or --any-content`,
  )
  expect((await listed('--status', 'unreviewed')).map(({ url }: { readonly url: string }) => url)).toEqual([unhashed])
  expect(await listed()).toHaveLength(2)
  await done('scripts', 'authorize', ...site, '--url', unhashed, ...why, '--any-content')
  expect(await listed('--status', 'unreviewed')).toEqual([])
  const unseen = ['--url', 'https://pay.example.com/next.js', ...why, '--hash', hash]
  const { response } = await done('scripts', 'authorize', ...site, ...unseen)
  expect(response).toMatchObject({ integrityMode: 'pinned_hashes', pinnedHashes: [hash] })
  expect(await refused('scripts', 'authorize', ...site, ...unseen, '--any-content')).toContain('cannot be used with')
})

test('an authorization has an owner and the day of its review, which the API of the script does not return', async () => {
  const words = [
    '--url',
    'https://pay.example.com/owned.js',
    '--by',
    'ada@example.com',
    '--justification',
    'x',
    '--any-content',
  ]
  const { response } = await done(
    'scripts',
    'authorize',
    ...site,
    ...words,
    '--owner',
    'Web team',
    '--review-by',
    '2027-11-30',
  )
  expect(response).toMatchObject({ owner: 'Web team', reviewBy: '2027-11-30' })
  const key = await api.createKey(site[1] ?? '')
  const [script] = await listed('--status', 'authorized')
  const { body } = await api.get(`/v1/sites/${site[3]}/scripts/${script.id}`, { key })
  expect(Object.keys(body.data.decisions[0]).sort()).toEqual([
    'decidedAt',
    'decidedBy',
    'id',
    'integrityMode',
    'justification',
    'pinnedHashes',
    'status',
  ])
  const report = `/v1/compliance/pci-dss/report?siteId=${site[3]}`
  expect((await api.get(report, { key })).body.data.evidence.decisions.at(-1)).toMatchObject({
    owner: 'Web team',
    reviewBy: '2027-11-30',
  })
  for (const day of ['30.11.2027', '2027-02-30']) {
    expect(await refused('scripts', 'authorize', ...site, ...words, '--review-by', day)).toContain(
      '--review-by must be a date such as 2027-11-30',
    )
  }
})

test.each([
  [['--url', 'form.js', '--by', 'a@b.test', '--justification', 'x'], '--url must be an http or https URL'],
  [['--url', url, '--by', 'Ada', '--justification', 'x'], '--by must be the e-mail address of a person'],
  [['--url', url, '--by', 'a@b.test', '--justification', ' '], '--justification must be 1 to 4000 characters'],
])('refuses %j', async (words, line) => {
  expect(await refused('scripts', 'authorize', ...site, ...words)).toMatch(line)
})
