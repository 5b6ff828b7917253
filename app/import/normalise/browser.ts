import { LRUCache } from 'lru-cache'
import UAParser from 'my-ua-parser'
import { type StoredReport, textLimits } from '../../../schema/stored-report.ts'
import { detachString } from './detach-string.ts'
import { truncate } from './truncate.ts'

/** '' and unknown where the user agent is not recognised. */
export type Browser = Pick<StoredReport, 'browserName' | 'browserVersion' | 'osName' | 'deviceType'>

/** Real ones are under 300 characters; the parser's patterns are slow on long text. */
const maxUserAgentLength = 512

const cache = new LRUCache<string, Browser>({ max: 10_000 })

/** Families of names that differ by device, wrapper or capitals; any other name is its own family. */
const families: ReadonlyMap<string, string> = new Map(
  Object.entries({
    Chrome: ['chrome', 'chrome headless', 'chrome webview'],
    Chromium: ['chromium'],
    Edge: ['edge'],
    Firefox: ['firefox', 'firefox focus', 'firefox reality', 'klar', 'fennec'],
    IE: ['ie', 'iemobile'],
    Opera: ['opera', 'opera mini', 'opera mobi', 'opera tablet', 'opera gx', 'opera touch', 'opera coast'],
    Safari: ['safari', 'mobile safari', 'mobilesafari'],
    Sogou: ['sogou explorer', 'sogou mobile'],
  }).flatMap(([family, names]) => names.map((name) => [name, family])),
)

/** Browsers on desktop systems name no device. */
const desktopSystems = new Set(
  `windows, mac os, chromium os, linux, gnu, hurd, unix, haiku, solaris, aix, mint, arch, ubuntu,
  kubuntu, xubuntu, lubuntu, debian, fedora, centos, red hat, redhat, suse, opensuse, gentoo,
  slackware, mandriva, manjaro, mageia, deepin, elementary os, raspbian, freebsd, netbsd, openbsd,
  dragonfly, pc-bsd, ghostbsd`.split(/,\s+/),
)

/** An iPad in desktop mode names a Mac, but only browsers on iOS are CriOS, FxiOS or EdgiOS (ua-parser/uap-core#586). */
const iosInDesktopMode = /Macintosh;.*\b\w+iOS\//

/** Never throws. */
export function readBrowser(userAgent: string): Browser {
  const shortened = userAgent.slice(0, maxUserAgentLength)
  const found = cache.get(shortened)
  if (found) return found
  const key = detachString(shortened)
  const browser = parse(key)
  cache.set(key, browser)
  return browser
}

function parse(userAgent: string): Browser {
  // The parser reads an empty text as the browser it runs in.
  if (userAgent.trim() === '') return { browserName: '', browserVersion: '', osName: '', deviceType: 'unknown' }
  const parser = new UAParser(userAgent)
  const { name = '', version = '' } = parser.getBrowser()
  const isIos = iosInDesktopMode.test(userAgent)
  const osName = isIos ? 'iOS' : (parser.getOS().name ?? '')
  return {
    browserName: truncate(families.get(name.toLowerCase()) ?? name, textLimits.browserName),
    browserVersion: truncate(version, textLimits.browserVersion),
    osName: truncate(osName, textLimits.osName),
    deviceType: isIos ? 'tablet' : deviceType(parser.getDevice().type, osName),
  }
}

function deviceType(kind: string | undefined, osName: string): Browser['deviceType'] {
  if (kind === 'mobile' || kind === 'tablet') return kind
  return kind === undefined && desktopSystems.has(osName.toLowerCase()) ? 'desktop' : 'unknown'
}
