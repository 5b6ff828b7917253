import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApi, type TestApi } from '../../support/api.ts'
import { done, makeTenant, refused } from '../../support/cli-commands.ts'

let api: TestApi
let site: readonly string[]

beforeAll(async () => {
  api = await startApi()
  const tenantId = await makeTenant()
  site = ['--tenant', tenantId, '--site', await api.createSite(tenantId)]
})

afterAll(() => api?.close())

const url = 'https://pay.example.com/form.js'
const about = (email: string, text: string) => ['--url', `${url}?v=2`, '--by', email, '--justification', text]
const listed = async (...words: string[]) => (await done('scripts', 'list', ...site, ...words)).response.data

test('decisions are appended: the latest counts, with who decided and why', async () => {
  const ada = about('ada@example.com', 'Card form')
  const { response: first } = await done('scripts', 'authorize', ...site, ...ada, '--pin')
  expect(first).toMatchObject({ url, status: 'authorized', integrityMode: 'pinned_hashes', justification: 'Card form' })
  expect(await listed()).toMatchObject([{ url, status: 'authorized', integrityMode: 'pinned_hashes' }])
  await done('scripts', 'authorize', ...site, ...ada)
  expect(await listed()).toMatchObject([{ status: 'authorized', integrityMode: 'any_content' }])
  const { response: last } = await done('scripts', 'reject', ...site, ...about('bob@example.com', 'Unused'))
  expect(last).toMatchObject({ status: 'rejected', integrityMode: null, decidedBy: { email: 'bob@example.com' } })
  const [script] = await listed('--status', 'rejected')
  expect(script).toMatchObject({ status: 'rejected', justification: 'Unused', decidedBy: { email: 'bob@example.com' } })
  expect(await listed('--status', 'unreviewed')).toEqual([])
  const key = await api.createKey(site[1] ?? '')
  const { body } = await api.get(`/v1/sites/${site[3]}/scripts/${script.id}`, { key })
  expect(body.data.decisions.map(({ status }: { readonly status: string }) => status)).toEqual([
    'authorized',
    'authorized',
    'rejected',
  ])
})

test.each([
  [['--url', 'form.js', '--by', 'a@b.test', '--justification', 'x'], '--url takes an http or https URL'],
  [['--url', url, '--by', 'Ada', '--justification', 'x'], '--by takes the e-mail address of a person'],
  [['--url', url, '--by', 'a@b.test', '--justification', ' '], '--justification takes 1 to 4000 characters'],
])('refuses %j', async (words, line) => {
  expect(await refused('scripts', 'authorize', ...site, ...words)).toMatch(line)
})
