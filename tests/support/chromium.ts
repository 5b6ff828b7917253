import { type Browser, chromium } from 'playwright-core'
import { ensureInstalled } from './ensure-installed.ts'

/** Debian's Chromium, headless; `args` are further switches. It connects to nothing but what a test opens. */
export async function launchChromium(...args: string[]): Promise<Browser> {
  const offline = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run']
  const browser = await chromium.launch({
    executablePath: ensureInstalled('chromium'),
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', ...offline, ...args],
  })
  const newContext = browser.newContext.bind(browser)
  browser.newContext = async (options) => {
    const context = await newContext(options)
    context.setDefaultTimeout(300_000)
    return context
  }
  return browser
}
