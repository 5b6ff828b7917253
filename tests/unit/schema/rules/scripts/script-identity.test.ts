import { describe, expect, test } from 'vitest'
import { scriptHash } from '../../../../../schema/rules/scripts/script-hash.ts'
import { scriptId } from '../../../../../schema/rules/scripts/script-id.ts'
import { scriptUrl } from '../../../../../schema/rules/scripts/script-url.ts'

describe('a script’s URL', () => {
  test.each([
    ['https://shop.example.test/a.js', 'https://shop.example.test/a.js'],
    ['https://shop.example.test/a.js?v=1', 'https://shop.example.test/a.js'],
    ['https://shop.example.test/a.js#x?y', 'https://shop.example.test/a.js'],
    ['https://shop.example.test/a.js?', 'https://shop.example.test/a.js'],
    ['https://shop.example.test?v=1', 'https://shop.example.test/'],
    ['HTTPS://Shop.Example.Test:443/A.js', 'https://shop.example.test/A.js'],
    ['http://shop.example.test:8080/a.js', 'http://shop.example.test:8080/a.js'],
    ['https://user:secret@shop.example.test/a.js', 'https://shop.example.test/a.js'],
    ['https://café.test/ä.js', 'https://xn--caf-dma.test/%C3%A4.js'],
    ['https://shop.example.test/a%20b.js', 'https://shop.example.test/a%20b.js'],
    ['https://shop.example.test/x/../a.js', 'https://shop.example.test/a.js'],
    ['data:text/javascript,1', ''],
    ['blob:https://shop.example.test/5ec0de00', ''],
    ['chrome-extension://abc/a.js', ''],
    ['/a.js', ''],
    ['inline', ''],
    ['https://', ''],
    ['', ''],
    [`https://shop.example.test/${'a'.repeat(9_000)}`, ''],
  ])('text %# has its script URL or none', (text, url) => {
    expect(scriptUrl(text)).toBe(url)
    expect(scriptUrl(url)).toBe(url)
  })
})

describe('a script’s id', () => {
  const siteId = '5ec0de00-0000-4000-8000-000000000101'

  test.each([
    [siteId, 'https://shop.example.test/assets/app.js', 'c5e7fad3-d303-5239-8cdc-2ab3e655ef41'],
    [siteId, 'https://cdn.jsdelivr.net/npm/jquery@3.6.0/dist/jquery.min.js', '80b28634-e171-59fa-9fec-c25ffcb4410e'],
    [siteId, 'https://xn--caf-dma.test/%C3%A4.js', '14eae9e8-1e7d-5618-a169-1661e660abf6'],
    [
      'ffffffff-ffff-ffff-ffff-ffffffffffff',
      'https://shop.example.test/assets/app.js',
      '0163479d-ae21-55f5-a342-170f74ce1f14',
    ],
  ])('the script id of site and URL %# is the same in every release', (site, url, id) => {
    expect(scriptId(site, url)).toBe(id)
    expect(scriptId(site.toUpperCase(), url)).toBe(id)
  })
})

describe('a script’s hash', () => {
  test.each([
    ['', ''],
    ['sha256-70mB1OC0O0V3C9yRRSQqhuR5TjG3Iztk507TygtcyRk=', 'sha256-70mB1OC0O0V3C9yRRSQqhuR5TjG3Iztk507TygtcyRk='],
    ['sha256-70mB1OC0O0V3C9yRRSQqhuR5TjG3Iztk507TygtcyRk', 'sha256-70mB1OC0O0V3C9yRRSQqhuR5TjG3Iztk507TygtcyRk='],
    ['SHA256-70mB1OC0O0V3C9yRRSQqhuR5TjG3Iztk507TygtcyRk=', 'sha256-70mB1OC0O0V3C9yRRSQqhuR5TjG3Iztk507TygtcyRk='],
    ["'sha256-70mB1OC0O0V3C9yRRSQqhuR5TjG3Iztk507TygtcyRk='", 'sha256-70mB1OC0O0V3C9yRRSQqhuR5TjG3Iztk507TygtcyRk='],
    [
      'sha256-2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881',
      'sha256-LXEWQrcmsEQBYnyp+6wy9chTD7GQPMTbAiWHF5IaSIE=',
    ],
    [
      '2D711642B726B04401627CA9FBAC32F5C8530FB1903CC4DB02258717921A4881',
      'sha256-LXEWQrcmsEQBYnyp+6wy9chTD7GQPMTbAiWHF5IaSIE=',
    ],
    ['LXEWQrcmsEQBYnyp-6wy9chTD7GQPMTbAiWHF5IaSIE', 'sha256-LXEWQrcmsEQBYnyp+6wy9chTD7GQPMTbAiWHF5IaSIE='],
    ['sha256-LXEWQrcmsEQBYnyp-6wy9chTD7GQPMTbAiWHF5IaSIE=', 'sha256-LXEWQrcmsEQBYnyp+6wy9chTD7GQPMTbAiWHF5IaSIE='],
    [
      'sha384-ebQG0rHzyMWLQM7tyQr8x+2PsSours5Zw1/1uyi0jD2jG3RDvLslonNiH+Lwly3t',
      'sha384-ebQG0rHzyMWLQM7tyQr8x+2PsSours5Zw1/1uyi0jD2jG3RDvLslonNiH+Lwly3t',
    ],
    [
      'sha512-ff201fuz1LhTwIBLw2Xq+PvBxEogf6oSNFlT8A/w+f80EcNMiBQhiJhI58pofF7XZtOBtL1lbDhC3B5UWnNE2w==',
      'sha512-ff201fuz1LhTwIBLw2Xq+PvBxEogf6oSNFlT8A/w+f80EcNMiBQhiJhI58pofF7XZtOBtL1lbDhC3B5UWnNE2w==',
    ],
    ['sha256-short', ''],
    ['md5-1B2M2Y8AsgTpgAmY7PhCfg==', ''],
    ['sha384-70mB1OC0O0V3C9yRRSQqhuR5TjG3Iztk507TygtcyRk=', ''],
    ['sha256-<script>alert(1)</script>', ''],
    ['x'.repeat(10_000), ''],
  ])('the hash of %j is %j', (written, hash) => {
    expect(scriptHash(written)).toBe(hash)
    expect(scriptHash(hash)).toBe(hash)
  })

  test('a hash is the same in every encoding', () => {
    const hex = 'fbff'.repeat(16)
    const base64 = '+//7//v/+//7//v/+//7//v/+//7//v/+//7//v/+/8='
    const forms = [hex, hex.toUpperCase(), base64, '-__7__v_-__7__v_-__7__v_-__7__v_-__7__v_-_8']
    for (const form of forms.flatMap((text) => [text, `sha256-${text}`, `sha256:${text}`])) {
      expect(scriptHash(form)).toBe(`sha256-${base64}`)
    }
  })
})
