import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Env, Hono } from 'hono'

export interface TryPageOptions {
  /** `/r/{token}` of the site that the page reports to. */
  readonly reportPath: string
  /** Base of the API, without a slash at its end. */
  readonly apiUrl: string
  /** The page shows it in its curl lines. */
  readonly apiKey: string
}

const template = readFileSync(new URL('./try-page.html', import.meta.url), 'utf8')

const pageWithoutPolicies = `<!doctype html>
<html lang="en">
  <title>A page without policies</title>
  <link rel="icon" href="data:,">
  <p>This page has no policies.</p>
</html>
`

const hashOf = (tag: 'script' | 'style') => {
  const [, text = ''] = template.match(new RegExp(`<${tag}>(.*?)</${tag}>`, 's')) ?? []
  return `'sha256-${hash('sha256', text, 'base64')}'`
}

const contentPolicy = [
  "default-src 'none'",
  `script-src 'self' 'report-sample' ${hashOf('script')}`,
  `style-src 'report-sample' ${hashOf('style')}`,
  'img-src data:',
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const networkErrorMaxAgeSeconds = 600

/** Policies that report to the endpoint `default`; the page has a button that breaks each. */
const policies = (reportPath: string) => ({
  'Reporting-Endpoints': `default="${reportPath}"`,
  'Integrity-Policy': 'blocked-destinations=(script), endpoints=(default)',
  'Permissions-Policy': 'geolocation=();report-to=default',
  'Document-Policy': 'js-profiling=?0;report-to=default',
  'Connection-Allowlist': '(response-origin);report-to=default',
  'Cross-Origin-Embedder-Policy': 'require-corp; report-to="default"',
  'Cross-Origin-Opener-Policy': 'same-origin; report-to="default"',
  'Report-To': JSON.stringify({
    group: 'default',
    max_age: networkErrorMaxAgeSeconds,
    endpoints: [{ url: reportPath }],
  }),
  NEL: JSON.stringify({ report_to: 'default', max_age: networkErrorMaxAgeSeconds }),
})

/**
 * Mounts a page whose buttons violate its policies, so that a browser reports. Chromium ignores `report-uri` if
 * `report-to` is present, and delivers `report-to` only to https: over http, and at `/try/report-uri`, the policy has
 * no `report-to`.
 */
export function mountTryPage<E extends Env>(app: Hono<E>, { reportPath, apiUrl, apiKey }: TryPageOptions): void {
  const options = JSON.stringify({ reportPath, apiUrl, apiKey }).replaceAll('<', '\\u003c')
  const page = template.replace('"{{options}}"', () => options)
  const reportUri = `${contentPolicy}; report-uri ${reportPath}`
  const headers = { ...policies(reportPath), 'Cache-Control': 'no-store' }

  app.get('/try', (c) => {
    const isSecure = c.req.url.startsWith('https:') || c.req.header('X-Forwarded-Proto') === 'https'
    const policy = isSecure ? `${reportUri}; report-to default` : reportUri
    return c.html(page, 200, { ...headers, 'Content-Security-Policy': policy })
  })
  app.get('/try/report-uri', (c) => c.html(page, 200, { ...headers, 'Content-Security-Policy': reportUri }))
  app.get('/try/without-policies', (c) => c.html(pageWithoutPolicies))
}
