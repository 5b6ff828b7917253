import { expect, test } from 'vitest'

// Modules of the page have types of a browser, which tests do not read.
const { utc } = await import(`${'../../../../app/explorer/views/pci'}/sentences.js`)

test.each([
  ['2026-11-26T04:37:00Z', '26 Nov 2026 04:37 UTC'],
  ['zzz', 'zzz'],
  ['', ''],
])('the time of a link %j is shown as %j', (time, shown) => {
  expect(utc(time)).toBe(shown)
})
