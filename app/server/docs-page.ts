import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Hono } from 'hono'
import { openApiDocument } from '../openapi/document.ts'
import { type Representation, respondConditional, toRepresentation } from '../pipeline/conditional-response.ts'
import type { Endpoint } from '../pipeline/endpoint.ts'
import { rejectOtherMethods } from '../pipeline/reject-other-methods.ts'
import type { ApiEnv } from '../pipeline/request-context.ts'

const require = createRequire(import.meta.url)

/** The page runs its own files alone and connects to this API alone; Swagger UI draws its icons from data URLs. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const fixedHeaders = {
  'Cache-Control': 'public, max-age=3600',
  Vary: 'Accept-Encoding',
  'Content-Security-Policy': policy,
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
} as const

const html = 'text/html; charset=utf-8'
const script = 'text/javascript; charset=utf-8'
const style = 'text/css; charset=utf-8'

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
  'swagger-ui-bundle.js': script,
  'swagger-ui.css': style,
  'index.css': style,
  'favicon-32x32.png': 'image/png',
} as const

/** Serves the OpenAPI 3.1 description at `/openapi.json` and a page to read and try it at `/docs`, without a key. */
export function mountDocs(app: Hono<ApiEnv>, endpoints: readonly Endpoint[]): void {
  const folder = join(require.resolve('swagger-ui-dist/package.json'), '..')

  function mountFile(path: string, type: string, file: Representation['plain']): void {
    const representation = toRepresentation(file)
    const headers = { ...fixedHeaders, 'Content-Type': type }
    app.get(path, (c) => respondConditional(c, representation, headers))
    rejectOtherMethods(app, path)
  }

  mountFile('/openapi.json', 'application/json', JSON.stringify(openApiDocument(endpoints)))
  mountFile('/docs', html, page)
  mountFile('/docs/start.js', script, start)
  for (const [file, type] of Object.entries(packaged)) {
    mountFile(`/docs/${file}`, type, readFileSync(join(folder, file)))
  }
}
