import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { mountTryPage } from '../../../../app/collector/try-page.ts'

function mount(apiUrl = 'http://127.0.0.1:8787') {
  const app = new Hono()
  mountTryPage(app, { reportPath: '/r/token', apiUrl, apiKey: 'srk_live_key' })
  return app
}

const policyOf = (response: Response) => response.headers.get('Content-Security-Policy')

test('the page reports by report-to over https, behind a proxy that ends TLS too', async () => {
  const app = mount()
  const direct = await app.request('https://try.test/try')
  const proxied = await app.request('http://try.test/try', { headers: { 'X-Forwarded-Proto': 'https' } })
  expect(policyOf(direct)).toMatch(/; report-uri \/r\/token; report-to default$/)
  expect(policyOf(proxied)).toBe(policyOf(direct))
})

test.each(['http://try.test/try', 'http://try.test/try/report-uri', 'https://try.test/try/report-uri'])(
  'the page reports by report-uri alone at %s',
  async (url) => {
    expect(policyOf(await mount().request(url))).toMatch(/; report-uri \/r\/token$/)
  },
)

test('an option cannot end the script element that holds it', async () => {
  const html = await (await mount('</script><script>"$&"').request('/try')).text()
  expect(html).not.toContain('</script><script>"$&"')
  const [, options = ''] = html.match(/id="options">(.*)<\/script>/) ?? []
  expect(JSON.parse(options)).toMatchObject({ apiUrl: '</script><script>"$&"' })
})
