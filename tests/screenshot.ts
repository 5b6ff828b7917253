/**
 * @module `npm run screenshot -- URL KEY`: the explorer's picture in the README, of a running API such as `npm start`.
 */

import { fileURLToPath } from 'node:url'
import { launchChromium } from './support/chromium.ts'

const picture = fileURLToPath(new URL('../app/explorer/screenshot.png', import.meta.url))

async function take(url: string | undefined, key: string | undefined): Promise<void> {
  if (!url || !key) throw new Error('Usage: npm run screenshot -- http://127.0.0.1:8787 srk_live_…')
  const browser = await launchChromium()
  try {
    const page = await browser.newPage({ viewport: { width: 1100, height: 760 } })
    await page.goto(`${url}/explorer`)
    await page.getByLabel('Key').fill(key)
    await page.getByRole('button', { name: 'Look' }).click()
    await page.locator('#ranking-1 table').waitFor()
    await page.locator('#histogram canvas').waitFor()
    await page.screenshot({ path: picture })
  } finally {
    await browser.close()
  }
}

await take(process.argv[2], process.argv[3])
process.stdout.write(`${picture}\n`)
