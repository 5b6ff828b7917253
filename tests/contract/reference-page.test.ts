import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApi, type TestApi } from '../support/api.ts'

let api: TestApi

beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const policyOf = (headers: Headers) => headers.get('Content-Security-Policy') ?? ''

test('the docs page needs no key, and may run and reach nothing but this API', async () => {
  const { status, headers } = await api.get('/docs')
  expect(status).toBe(200)
  expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8')
  expect(headers.get('Cache-Control')).toBe('public, max-age=3600')
  expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
  expect(policyOf(headers)).toMatch(/^default-src 'none'/)
  expect(policyOf(headers)).not.toMatch(/unsafe|https?:|\*/)
})

test('the docs page loads files of this server only, each of the expected type', async () => {
  const { text } = await api.get('/docs')
  expect(text).not.toMatch(/<script(?! src| type="module" src)|<style|\son\w+=|\sstyle=|https?:/)
  const files = [...text.matchAll(/(?:src|href)="(\/docs[^"]+)"/g)].map(([, path]) => path ?? '')
  expect(files.length).toBeGreaterThan(2)
  const types: Record<string, string> = { js: 'text/javascript', css: 'text/css', png: 'image/png' }
  for (const path of files) {
    const { status, headers, text: file } = await api.get(path)
    expect(status).toBe(200)
    expect(file.length).toBeGreaterThan(50)
    expect(headers.get('Content-Type')).toContain(types[path.split('.').at(-1) ?? ''])
    expect(headers.get('Cache-Control')).toBe('public, max-age=3600')
    expect(policyOf(headers)).toMatch(/^default-src 'none'/)
  }
})

test('the docs page reads the description of this API', async () => {
  expect((await api.get('/docs/start.js')).text).toContain("fetch('/openapi.json')")
})

test.each(['swagger-initializer.js', 'package.json', 'swagger-ui.js', 'README.md', 'index.html', ''])(
  'serves no other file of the package: %s',
  async (file) => {
    expect(await api.get(`/docs/${file}`)).toMatchObject({ status: 404 })
  },
)

test('/ leads to the explorer and the reference, and every file of the explorer is this server’s', async () => {
  const { status, text } = await api.get('/')
  expect(status).toBe(200)
  const links = [...text.matchAll(/href="(\/[^"]*)"/g)].map(([, path]) => path ?? '')
  expect(links).toEqual(['/explorer', '/docs', '/openapi.json'])
  for (const path of links) expect(await api.get(path)).toMatchObject({ status: 200 })
  const explorer = await api.get('/explorer')
  expect(policyOf(explorer.headers)).toMatch(/^default-src 'none'/)
  expect(policyOf(explorer.headers)).not.toMatch(/unsafe|https?:|\*/)
  expect(explorer.text).not.toMatch(/<script(?! type="module" src)|<style|\son\w+=|\sstyle=|https?:/)
  for (const file of ['README.md', 'overview.png', 'tsconfig.json', '..%2fconfig.ts', 'views/']) {
    expect(await api.get(`/explorer/${file}`)).toMatchObject({ status: 404 })
  }
})

/** Modules that a module imports, by their names. */
const importsOf = (text: string) => [...text.matchAll(/["']\.\/([\w-]+\.js)["']/g)].map(([, name]) => name ?? '')

test('the explorer is a bundle with a module a view, without comments, and no module is missing', async () => {
  const texts = new Map<string, string>()
  const read = async (name: string): Promise<void> => {
    if (texts.has(name)) return
    texts.set(name, '')
    const { status, headers, text } = await api.get(`/explorer/${name}`)
    expect([name, status, headers.get('Content-Type')]).toEqual([name, 200, 'text/javascript; charset=utf-8'])
    texts.set(name, text)
    await Promise.all(importsOf(text).map(read))
  }
  await read('main.js')
  const views = ['overview', 'reports', 'issues', 'issue', 'policy', 'alerts', 'scripts', 'pages', 'pci']
  const names = [...texts.keys()]
  expect(views.filter((view) => !names.some((name) => name.startsWith(`${view}-`)))).toEqual([])
  expect(await api.get('/explorer/served/styles.css')).toMatchObject({ status: 200 })
  for (const text of texts.values()) expect(text).not.toMatch(/\/\*\*|@ts-check/)
  expect(await api.get('/explorer/missing.js')).toMatchObject({ status: 404 })
  expect((await fetch(`${api.url}/explorer/main.js`, { method: 'POST' })).status).toBe(405)
})
