/** @module A site whose pages load in every way that a policy governs, and which has what browsers report of them. */

import { Hono } from 'hono'
import type { BlankEnv } from 'hono/types'

/** Nothing but a nonce, and images of the page's own origin, one of which redirects. */
export const firstPolicy =
  "default-src 'none'; img-src 'self'; script-src 'nonce-abc' 'report-sample'; style-src 'report-sample'; base-uri 'none'; form-action 'none'; trusted-types one"

export const pageNumbers = [1, 2, 3, 4]

export interface PostedReport {
  readonly body: string
  readonly userAgent: string
}

export interface ViolatingSite {
  readonly app: Hono<BlankEnv>
  /** Of all pages. */
  served: { readonly policy: string; readonly isEnforced: boolean }
  /** Host and path of each load. */
  readonly fetched: Set<string>
  readonly posts: PostedReport[]
}

/** URL of a host such as `app` of app.test. */
export type UrlOf = (host: string, path: string) => string

/** One page of a browser has all: frames are documents of their own. It has no policy. */
const allPages = `<!doctype html><link rel="icon" href="data:,">${pageNumbers
  .map((number) => `<iframe src="/page/${number}"></iframe>`)
  .join('')}`

const page = (at: UrlOf) => `<!doctype html>
<base href="${at('app', '/')}">
<link rel="stylesheet" href="${at('css', '/a.css')}">
<style>p { margin: 0 }</style>
<script src="${at('cdn', '/lib/a.js')}"></script>
<script>var inline = 1</script>
<body onload="void 0">
<p style="color:red">text</p>
<img src="${at('img', '/a/b.png')}">
<img src="data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==">
<iframe src="${at('frame', '/f.html')}"></iframe>
<iframe name="target"></iframe>
<object data="${at('object', '/o.html')}" type="text/html"></object>
<video src="${at('media', '/v.mp4')}"></video>
<form action="${at('frame', '/form')}" method="post" target="target"></form>
<script src="${at('app', '/main.js')}"></script>`

/** The redirecting image is made by code: one of markup behind scripts is preloaded, and its redirect was not reported. */
const mainScript = (at: UrlOf) => `
const attempt = (load) => { try { load() } catch {} }
attempt(() => { new Image().src = '/redirect' })
attempt(() => fetch('${at('api', '/v1/x')}', { mode: 'no-cors' }).catch(() => {}))
attempt(() => navigator.sendBeacon('${at('beacon', '/b')}'))
attempt(() => new EventSource('${at('events', '/e')}'))
attempt(() => new WebSocket('${at('socket', '/s').replace('https', 'wss')}'))
attempt(() => new Worker('/worker.js'))
attempt(() => new Worker(URL.createObjectURL(new Blob(['']))))
attempt(() => eval('1 + 1'))
attempt(() => new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])))
attempt(() => new FontFace('F', 'url(${at('font', '/f.woff2')})').load().catch(() => {}))
attempt(() => trustedTypes.createPolicy('two', {}))
if (navigator.userAgent.includes('Firefox')) new Image().src = '${at('odd', '/o.png')}'
document.forms[0].submit()
onmessage = ({ data }) => { new Image().src = data }`

/** Each load is fetched. */
const shared = { 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'no-store' }

/** @param reportPath where pages report. */
export function createViolatingSite(at: UrlOf, reportPath: string, policy: string): ViolatingSite {
  const app = new Hono()
  const site: ViolatingSite = { app, served: { policy, isEnforced: false }, fetched: new Set(), posts: [] }
  app.post(reportPath, async (c) => {
    site.posts.push({ body: await c.req.text(), userAgent: c.req.header('User-Agent') ?? '' })
    return c.body(null, 204)
  })
  app.all('*', (c) => {
    const { host, pathname } = new URL(`https://${c.req.header('Host')}${c.req.path}`)
    site.fetched.add(`${host.split('.')[0]}${pathname}`)
    const send = (text: string, type: string, headers = {}) =>
      c.body(text, 200, { ...shared, 'Content-Type': type, ...headers })
    if (pathname === '/') return send(allPages, 'text/html')
    if (pathname.startsWith('/page/')) {
      const { policy, isEnforced } = site.served
      const name = `Content-Security-Policy${isEnforced ? '' : '-Report-Only'}`
      return send(page(at), 'text/html', { [name]: `${policy}; report-uri ${at('app', reportPath)}` })
    }
    if (pathname === '/main.js') return send(mainScript(at), 'text/javascript')
    if (pathname === '/redirect') return c.redirect(at('target', '/r.png'))
    if (pathname.endsWith('.js')) return send('', 'text/javascript')
    return send('', pathname.endsWith('.css') ? 'text/css' : 'text/html')
  })
  return site
}
