/**
 * @module `npm run screenshot -- URL KEY`: the explorer's pictures in its folder, of a running API such as `npm start`.
 */

import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { launchChromium } from './support/chromium.ts'
import { settled } from './support/explorer.ts'

const folder = fileURLToPath(new URL('../app/explorer/', import.meta.url))

/** Names of pictures, with what the page shows in them. */
const pictures: readonly (readonly [string, string, (page: Page) => Promise<unknown>])[] = [
  ['overview', '', async () => undefined],
  [
    'issue',
    '?view=issues&reportType=csp-violation&confidence.any=high',
    async (page) => {
      await page.locator('#issues tr [data-focus]').first().click()
      await page.locator('#what-to-do .advice').waitFor()
      await page.locator('#histogram canvas').waitFor()
    },
  ],
  [
    'policy',
    '?view=policy',
    async (page) => {
      await page.locator('#check .parts').waitFor()
    },
  ],
  [
    'pci',
    '?view=pci',
    async (page) => {
      await page.locator('#changes table').waitFor()
    },
  ],
]

async function take(url: string | undefined, key: string | undefined): Promise<void> {
  if (!url || !key) throw new Error('Usage: npm run screenshot -- http://127.0.0.1:8787 srk_live_…')
  const browser = await launchChromium()
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 960 } })
    await page.addInitScript(`sessionStorage.setItem('security-reporting-key', '${key}')`)
    page.setDefaultTimeout(120_000)
    for (const [name, query, show] of pictures) {
      await page.goto(`${url}/explorer${query}`)
      await settled(page)
      await show(page)
      await settled(page)
      await page.screenshot({ path: `${folder}${name}.png` })
      process.stdout.write(`${folder}${name}.png\n`)
    }
  } finally {
    await browser.close()
  }
}

await take(process.argv[2], process.argv[3])
