import { type Browser, chromium } from 'playwright-core'
import { ensureInstalled } from './ensure-installed.ts'

/**
 * The popups of the address bar, which every window loads: a second of processor time, several times that of our page. And
 * what Playwright disables, as the last list of features replaces the others.
 */
const disabled = [
  'WebUIOmniboxAimPopup,WebUIOmniboxFullPopup,WebUIOmniboxPopup',
  'AimEnabled,AvoidCorsURLLoaderRestartOnRedirect,AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable,HttpsUpgrades,LensOverlay,MediaRouter,NetworkTimeServiceQuerying,OptimizationHints',
  'PaintHolding,PreconnectToSearch,ThirdPartyStoragePartitioning',
]

const switches = ['--no-sandbox', '--disable-gpu', '--disable-quic', `--disable-features=${disabled.join()}`]

const offline = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run']

/** Debian's Chromium, headless; `args` are further switches. It connects to nothing but what a test opens. */
export async function launchChromium(...args: string[]): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: ensureInstalled('chromium'),
    args: [...switches, ...offline, ...args],
  })
  const newContext = browser.newContext.bind(browser)
  browser.newContext = async (options) => {
    const context = await newContext(options)
    context.setDefaultTimeout(300_000)
    return context
  }
  return browser
}
