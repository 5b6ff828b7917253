import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Hono } from 'hono'
import { mountFile } from '../http/static-files.ts'
import { openApiDocument } from '../openapi/document.ts'
import type { Endpoint } from '../pipeline/endpoint.ts'
import type { ApiEnv } from '../pipeline/request-context.ts'

const require = createRequire(import.meta.url)

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Security Reporting API</title>
    <link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
    <link rel="stylesheet" href="/docs/swagger-ui.css">
    <link rel="stylesheet" href="/docs/index.css">
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`

const start = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  displayRequestDuration: true,
  validatorUrl: null,
})
`

const packaged = {
  'swagger-ui-bundle.js': 'js',
  'swagger-ui.css': 'css',
  'index.css': 'css',
  'favicon-32x32.png': 'png',
} as const

/** Serves the OpenAPI 3.1 description at `/openapi.json` and a page to read and try it at `/docs`, without a key. */
export function mountDocs(app: Hono<ApiEnv>, endpoints: readonly Endpoint[]): void {
  const folder = join(require.resolve('swagger-ui-dist/package.json'), '..')
  mountFile(app, '/openapi.json', 'json', JSON.stringify(openApiDocument(endpoints)))
  mountFile(app, '/docs', 'html', page)
  mountFile(app, '/docs/start.js', 'js', start)
  for (const [file, type] of Object.entries(packaged)) {
    mountFile(app, `/docs/${file}`, type, readFileSync(join(folder, file)))
  }
}
