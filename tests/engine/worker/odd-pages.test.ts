import fc from 'fast-check'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchChromium } from '../../support/chromium.ts'
import { numberOfCases } from '../../support/number-of-cases.ts'
import { handed, type OddPage, type OddServer, serveOddPages } from '../../support/odd-pages.ts'
import { scanUrl } from '../../support/page-scan.ts'
import { aDocument, aPage } from '../../support/random-pages.ts'

let server: OddServer
let browser: Browser
let page: Page
/** Of another origin of the same site. */
let other: Page
let devTools: CDPSession
let usualFeatures: string

const originOf = (host: string) => `http://${host}.odd.localhost:${server.port}`

const scanHere = (path = '/page') =>
  scanUrl(originOf('page') + path, {
    allowed: ['*.localhost:*'],
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
  })

beforeAll(async () => {
  server = await serveOddPages()
  browser = await launchChromium('--host-resolver-rules=MAP *.localhost 127.0.0.1')
  const context = await browser.newContext()
  page = await context.newPage()
  other = await context.newPage()
  devTools = await context.newCDPSession(other)
  await other.goto(`${originOf('other')}/frame`)
  await page.goto(`${originOf('page')}/frame`)
  usualFeatures = await features()
})

afterAll(async () => {
  await browser?.close()
  server?.close()
})

/** Features of the page, and features that it can give to a frame. */
const features = (): Promise<string> =>
  page.evaluate(`(() => {
    const [names, src] = [document.featurePolicy.features().sort(), '${originOf('other')}']
    const allow = names.map((name) => name + ' *').join('; ')
    const { featurePolicy } = Object.assign(document.createElement('iframe'), { allow, src })
    return names.map((name) => [document.featurePolicy.allowsFeature(name), featurePolicy.allowsFeature(name, src)]).join()
  })()`)

async function isFramed(): Promise<boolean> {
  await other.evaluate(`new Promise((resolve) => {
    const src = '${originOf('page')}/page?' + Math.random()
    Object.assign(document.querySelector('iframe'), { onload: resolve, src })
  })`)
  const { frameTree } = await devTools.send('Page.getFrameTree')
  return frameTree.childFrames?.[0]?.frame.unreachableUrl === undefined
}

const isSniffed = (): Promise<boolean> =>
  other.evaluate(`new Promise((resolve) => {
    const ends = { onload: () => resolve(true), onerror: () => resolve(false) }
    document.head.append(Object.assign(document.createElement('script'), { src: '/typed?' + Math.random(), ...ends }))
  })`)

async function seenByChromium() {
  const isShown = await page.goto(`${originOf('page')}/page`, { waitUntil: 'load' }).then(
    async () => (await page.title()) === 'shown',
    () => false,
  )
  if (!isShown) return { isShown }
  const [framed, sniffed] = [await isFramed(), await isSniffed()]
  const inline = Boolean(await page.evaluate('window.inline || window.handler'))
  return { isShown, framed, inline, sniffed, restricted: (await features()) !== usualFeatures }
}

async function seenByScan() {
  const { status, result } = await scanHere()
  if (status !== 'complete') return { isShown: false }
  const findings = JSON.stringify(result)
  return {
    isShown: true,
    framed: findings.includes('Any page can frame this one'),
    inline: /No Content-Security-Policy|The policy is report-only|Inline scripts run/.test(findings),
    sniffed: findings.includes('Not nosniff'),
    restricted: !findings.includes('No Permissions-Policy'),
  }
}

const sorted = (names: readonly string[]) => [...new Set(names)].sort()

async function ranInChromium(): Promise<string[]> {
  await page.goto(`${originOf('page')}/page`, { waitUntil: 'load' })
  return sorted(await page.evaluate('window.ran ?? []'))
}

const listedByScan = async () =>
  sorted(((await scanHere()).scripts ?? []).map(({ url }) => new URL(url ?? '').pathname))

/** The same pages in each run: SEED and CASES_TIMES have others. */
const bounds = (usual: number) => ({ numRuns: numberOfCases(usual), seed: Number(process.env.SEED ?? 1) })

const sameEverywhere = async (odd: OddPage) => {
  server.page = odd
  expect(await seenByScan()).toEqual(await seenByChromium())
}

const sameScripts = async (odd: OddPage) => {
  server.page = odd
  expect(await listedByScan()).toEqual(await ranInChromium())
}

test.each(Object.entries(handed))('a page of a bug report is to a scan as to Chromium: %s', async (_, odd) => {
  await sameEverywhere(odd)
  await sameScripts(odd)
})

test('a page that deletes its cookie is shown', async () => {
  await page.goto(`${originOf('page')}/cookie`)
  expect(await page.title()).toBe('shown')
  expect(await scanHere('/cookie')).toMatchObject({ status: 'complete', finalUrl: page.url() })
})

test('a page with random headers is shown, framed, runs inline code and has features as its scan says', () =>
  fc.assert(fc.asyncProperty(aPage, sameEverywhere), bounds(40)))

test('the scripts of random markup are those that Chromium runs', () =>
  fc.assert(fc.asyncProperty(aDocument, sameScripts), bounds(30)))
