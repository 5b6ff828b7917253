import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ScanRecord } from '../../../app/worker/scans/scan-page.ts'
import { launchChromium } from '../../support/chromium.ts'
import { scanUrl } from '../../support/page-scan.ts'
import { startWebServer, type WebServer } from '../../support/web-server.ts'

/** What a hop sends as Access-Control-Allow-Origin, by the Origin that it got. */
const allowed: Readonly<Record<string, (origin: string) => string | string[]>> = {
  any: () => '*',
  echo: (origin) => origin,
  page: () => originOf('page'),
  null: () => 'null',
  slash: (origin) => `${origin}/`,
  list: (origin) => `${origin}, ${origin}`,
  lines: () => ['*', '*'],
}

/** Hops of a script: `host allowed-origin allowed-credentials`, of which the first host is the page's own. */
const chains = [
  ...['page', 'b', 'b any', 'b echo', 'b echo true', 'b any true', 'b echo TRUE', 'b echo false'],
  ...['b slash true', 'b list true', 'b lines', 'b null', 'b page true'],
  ...['page > page', 'page > b any', 'page > b', 'page > b echo true', 'page > page > b any', 'page > b any > page'],
  ...['b any > page', 'b any > page any', 'b any > page page', 'b any > page null', 'b echo true > page echo true'],
  ...['b > b any', 'b any > b any', 'b any > b', 'b echo true > b echo true', 'b echo > b any'],
  ...['b any > c any', 'b any > c page', 'b any > c null', 'b echo true > c echo true', 'b any > c any > page any'],
  'page > b page true > c null true',
]

function frame(srcdoc: string, attributes = ''): string {
  return `<iframe ${attributes} srcdoc="${srcdoc.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"></iframe>`
}

/** Documents by their title, each in its own way unlike what a simple reader takes it for. Scripts are /s/NAME. */
const documents: Readonly<Record<string, string | Buffer>> = {
  plain: '<script src=/s/a></script><script src=" /s/b\n" defer></script><script async src="/s/a"></script>',
  types: ['', 'module', 'text/javascript', ' Application/X-JavaScript ', 'text/javascript1.5', 'text/ecmascript']
    .concat('text/javascript; charset=utf-8', 'importmap', 'application/json', 'text/template', ' ', 'javascript')
    .map((type, index) => `<script type="${type}" src=/s/${index}></script>`)
    .join('')
    .concat(
      ...['javascript1.2', 'JavaScript', 'vbscript', ''].map(
        (name) => `<script language="${name}" src="/s/l${name}"></script>`,
      ),
    ),
  base: '<script src=../s/before></script><base target=_top><base href=//b.test:PORT/s/x/><base href=/s/y/><script src=a></script><script src=/s/b></script>',
  'odd sources':
    '<script src></script><script src=" "></script><script src=data:text/javascript,1></script><script src=http://></script><script src="/s/a&amp;b=&#x63;?x#y"></script><script src=\\s\\back></script>',
  'odd tags':
    '<SCRIPT/SRC=/s/a ></SCRIPT\t><script\nsrc=\'/s/b\'>ignored()</script x><script src=/s/c src=/s/d></script><scr<script src=/s/e></script><script a="><script src=/s/f></script>"src=/s/g></script>',
  templates:
    '<template><script src=/s/a></script><template><script src=/s/b></script></template><script src=/s/c></script></template><script src=/s/d></script><svg><template><script href=/s/e></script></template></svg></template><script src=/s/f></script>',
  'a template left open':
    '<script src=/s/a></script><div><template></div><script src=/s/b></script></body><script src=/s/c></script>',
  'raw text': ['noscript', 'textarea', 'title', 'iframe', 'xmp', 'style', 'noembed', 'noframes']
    .map((name) => `<${name}><script src=/s/${name}></script></${name}>`)
    .join('')
    .concat(
      '<!-- <script src=/s/a></script> --><!--><script src=/s/b></script><![CDATA[<script src=/s/c></script>]]><script src=/s/d></script>',
    ),
  escapes:
    '<script>"<!--<script>"</script><script src=/s/a></script>--></script><script src=/s/b></script><script src=/s/c><!--</script><script src=/s/d></script>',
  svg: '<svg><script href=/s/a></script><script xlink:href=/s/b /><script src=/s/c></script><![CDATA[<script href=/s/d></script>]]><script href=/s/e xlink:href=/s/f></script></svg><script href=/s/g></script><script src=/s/h></script>',
  'svg and html':
    '<svg><foreignObject><script src=/s/a></script></foreignObject><desc><script src=/s/b></script></desc><g><p><script src=/s/c></script></svg><svg><title><svg><script href=/s/d></script></svg></title></svg>',
  'places of other elements':
    '<table><script src=/s/a></script><tr><td><script src=/s/b></script></table><select><script src=/s/c></script><option></select><object><script src=/s/d></script></object><button><script src=/s/e></script></html><script src=/s/f></script><plaintext><script src=/s/g></script>',
  'UTF-16': Buffer.from('\ufeff<script src=/s/a></script><p>ü</p><script src=/s/b></script>', 'utf16le'),
  'old browsers': '<script nomodule src=/s/nomodule></script><script src=/s/b></script>',
  mathml:
    '<math><script src=/s/a></script><mi><script src=/s/b></script></mi><annotation-xml encoding=text/html><script src=/s/c></script></annotation-xml></math><script src=/s/d></script>',
  'shadow roots': [
    '<template shadowrootmode=open><script src=/s/a></script></template><p>',
    '<div><template shadowrootmode=OPEN><script src=/s/b></script></template><template shadowrootmode=open><script src=/s/c></script></template></div>',
    '<div><template shadowrootmode=closed><template shadowrootmode=closed><script src=/s/d></script></template><script src=/s/e></script><p><template shadowrootmode=open><script src=/s/f></script></template></template></div>',
    '<template><div><template shadowrootmode=open><script src=/s/g></script></template></div></template>',
    '<a><template shadowrootmode=open><script src=/s/h></script></template></a><x-y><template shadowrootmode=open><script src=/s/i></script></template></x-y>',
    '<div><img><br><template shadowrootmode=open><script src=/s/j></script></template></div>',
    '<div><b>x</div><template shadowrootmode=open><script src=/s/k></script></template>',
    '<div><p>a<div></div><template shadowrootmode=open><script src=/s/l></script></template><template shadowrootmode=open><script src=/s/m></script></template></div>',
    '<ul><li><template shadowrootmode=open><script src=/s/n></script></template></ul><table><tr><td><template shadowrootmode=open><script src=/s/o></script></template><div><td><template shadowrootmode=open><script src=/s/p></script></template></table>',
    '<div><svg><g><template shadowrootmode=open><script href=/s/q></script></template></g></svg><template shadowrootmode=open><svg><script href=/s/r></script></svg></template></div>',
    '<span><div></span><template shadowrootmode=open><script src=/s/s></script></template></div>',
    '<div><template shadowrootmode=none><script src=/s/t></script></template></div><div><template shadowrootmode><script src=/s/u></script></template></div>',
    '<h1>x<h2><template shadowrootmode=open><script src=/s/v></script></template></h2><button><div><button><template shadowrootmode=open><script src=/s/w></script></template></button>',
    '<section><template shadowrootmode=open><script src=/s/x></script></template>',
  ].join('\n'),
  'a shadow root of the body':
    'x<template shadowrootmode=open><script src=/s/a></script></template><script src=/s/b></script>',
  'a template of the head':
    '<meta charset=utf-8><template shadowrootmode=open><script src=/s/a></script></template></head> <template shadowrootmode=open><script src=/s/b></script></template><body><template shadowrootmode=open><script src=/s/c></script></template>',
  'a template after the body':
    '<body></body></html><template shadowrootmode=open><script src=/s/a></script></template><script src=/s/b></script>',
  frames: [
    frame('<script src=/s/a></script>'),
    frame(frame(frame('<script src=/s/b></script>'))),
    frame('<base href=/s/x/><script src=c></script>'),
    `<template>${frame('<script src=/s/d></script>')}</template>`,
    `<div><template shadowrootmode=closed>${frame('<div><template shadowrootmode=open><script src=/s/e></script></template></div>')}</template></div>`,
    frame('<script src=/s/f></script>', 'sandbox'),
    frame('<script src=/s/g></script>', 'sandbox="allow-forms ALLOW-SCRIPTS allow-same-origin"'),
    frame('<script src=/s/h></script>', 'src=/s/i'),
    '<base href=/s/base/>',
    frame('<script src=i></script>'),
    frame('<script for=window event=onclick src=/s/j></script><script nomodule></script>'),
  ].join('\n'),
  'event handlers': [
    ...[
      'for=window event=onload',
      'for=" WINDOW " event="onload() "',
      'for=window event=onclick',
      'for=a event=onload',
    ],
    ...['for=window', 'event=onclick', 'for event', 'type=module for=a event=b'],
  ]
    .map((attributes, index) => `<script ${attributes} src=/s/${index}></script>`)
    .join('')
    .concat('<svg><script for=a event=b href=/s/svg></script></svg>'),
}

let server: WebServer
let browser: Browser
let page: Page
let scripts: NonNullable<ScanRecord['scripts']>

const originOf = (host: string) => `http://${host}.test:${server.port}`
const chainUrl = (index: number, hop = 0) =>
  `${originOf(chains[index]?.split(' > ')[hop]?.split(' ')[0] ?? '')}/chain/${index}/${hop}`

function sendHop(request: IncomingMessage, response: ServerResponse, index: number, hop: number): void {
  const hops = chains[index]?.split(' > ') ?? []
  const [, allow = '', credentials] = hops[hop]?.split(' ') ?? []
  const value = allowed[allow]?.(request.headers.origin ?? 'none')
  if (value) response.setHeader('Access-Control-Allow-Origin', value)
  if (credentials) response.setHeader('Access-Control-Allow-Credentials', credentials)
  if (hop + 1 < hops.length) {
    const statusCode = [301, 302, 303, 307, 308][index % 5] ?? 302
    response.writeHead(statusCode, { Location: chainUrl(index, hop + 1), 'Cache-Control': 'no-store' }).end()
  } else response.writeHead(200, { 'Content-Type': 'text/javascript', 'Cache-Control': 'no-store' }).end()
}

function handle(request: IncomingMessage, response: ServerResponse): void {
  const [, kind, name = '', hop] = (request.url ?? '').split('/')
  if (kind === 'chain') sendHop(request, response, Number(name), Number(hop))
  else if (kind === 's') {
    // Frames of srcdoc are of the page's origin.
    const body = `top.ran = [...(top.ran ?? []), ${JSON.stringify(request.headers.host + (request.url ?? ''))}]`
    response.writeHead(200, { 'Content-Type': 'text/javascript; charset=utf-8' }).end(body)
  } else {
    const listed = chains.map((_, index) => `<script src="${chainUrl(index)}"></script>`).join('')
    const found = kind === 'chains' ? listed : (documents[decodeURIComponent(name)] ?? '')
    const body = typeof found === 'string' ? `<!doctype html>${found}`.replaceAll('PORT', String(server.port)) : found
    response.writeHead(200, { 'Content-Type': 'text/html' }).end(body)
  }
}

const scanHere = (url: string) =>
  scanUrl(url, { allowed: ['*.test:*'], resolve: async () => [{ address: '127.0.0.1', family: 4 }] })

beforeAll(async () => {
  server = await startWebServer(handle)
  browser = await launchChromium('--host-resolver-rules=MAP *.test 127.0.0.1')
  page = await browser.newPage()
  scripts = (await scanHere(`${originOf('page')}/chains`)).scripts ?? []
})

afterAll(async () => {
  await browser?.close()
  await server?.close()
})

test('35 redirect chains are readable, with and without credentials, where Chromium loads their scripts', async () => {
  await page.goto(`${originOf('page')}/empty`)
  const urls = JSON.stringify(chains.map((_, index) => chainUrl(index)))
  const load = (crossOrigin: string): Promise<boolean[]> =>
    page.evaluate(`Promise.all(${urls}.map((src) => new Promise((resolve) => {
      const ends = { onload: () => resolve(true), onerror: () => resolve(false) }
      document.head.append(Object.assign(document.createElement('script'), { src, crossOrigin: '${crossOrigin}', ...ends }))
    })))`)
  const [anonymous, credentialed] = [await load('anonymous'), await load('use-credentials')]
  expect(chains).toHaveLength(35)
  const loaded = chains.map((chain, index) => ({
    chain,
    anonymous: anonymous[index],
    credentialed: credentialed[index],
  }))
  const judged = scripts.map(({ cors }, index) => ({
    chain: chains[index],
    anonymous: cors?.verdict !== 'not_readable',
    credentialed: cors?.verdict === 'credentialed' || cors?.originSent === null,
  }))
  expect(judged).toEqual(loaded)
})

test.each(Object.keys(documents))('the scripts of a document are those that Chromium runs: %s', async (name) => {
  const url = `${originOf('page')}/documents/${encodeURIComponent(name)}`
  await page.goto(url, { waitUntil: 'load' })
  const ran = (await page.evaluate('window.ran ?? []')) as string[]
  const { scripts: listed } = await scanHere(url)
  const urls = (listed ?? []).flatMap((script) => script.url?.slice('http://'.length) ?? [])
  // Browsers without modules run it, and the page can be open in one.
  const byChoice = name === 'old browsers' ? [`page.test:${server.port}/s/nomodule`] : []
  expect([...new Set(urls)].sort()).toEqual([...new Set([...byChoice, ...ran])].sort())
})
