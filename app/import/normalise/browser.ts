import { LRUCache } from 'lru-cache'
import { type StoredReport, textLimits } from '../../../schema/stored-report.ts'
import { detachString } from './detach-string.ts'
import { truncate } from './truncate.ts'
import { parseUserAgent, type UserAgent } from './user-agent.ts'

/** '' and unknown if the user agent is not recognised. */
export type Browser = Pick<StoredReport, 'browserName' | 'browserVersion' | 'osName' | 'deviceType'>

/** Real ones are under 300 characters; patterns are slow on long text. */
const maxUserAgentLength = 512

const cache = new LRUCache<string, Browser>({ max: 10_000 })

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
  const { browser, version, system, device } = parseUserAgent(userAgent)
  const isIos = iosInDesktopMode.test(userAgent)
  const osName = isIos ? 'iOS' : system
  return {
    browserName: truncate(browser, textLimits.browserName),
    browserVersion: truncate(version, textLimits.browserVersion),
    osName: truncate(osName, textLimits.osName),
    deviceType: isIos ? 'tablet' : deviceType(device, osName),
  }
}

function deviceType(device: UserAgent['device'], osName: string): Browser['deviceType'] {
  if (device === 'mobile' || device === 'tablet') return device
  return device === undefined && desktopSystems.has(osName.toLowerCase()) ? 'desktop' : 'unknown'
}
