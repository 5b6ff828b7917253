import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Hono } from 'hono'
import { mountFile } from '../http/static-files.ts'
import { openApiDocument } from '../openapi/document.ts'
import type { Endpoint } from '../pipeline/endpoint.ts'
import type { ApiEnv } from '../pipeline/request-context.ts'

const require = createRequire(import.meta.url)

const folder = fileURLToPath(new URL('../docs/', import.meta.url))

const own = { 'start.js': 'js', 'examples.js': 'js', 'search.js': 'js', 'docs.css': 'css' } as const

const packaged = {
  'swagger-ui-bundle.js': 'js',
  'swagger-ui.css': 'css',
  'favicon-32x32.png': 'png',
} as const

/** Serves the OpenAPI 3.1 description at `/openapi.json` and a page to read and try it at `/docs`, without a key. */
export function mountDocs(app: Hono<ApiEnv>, endpoints: readonly Endpoint[]): void {
  const swagger = join(require.resolve('swagger-ui-dist/package.json'), '..')
  // 0.17 s of processor time, which no start waits for.
  mountFile(app, '/openapi.json', 'json', () => JSON.stringify(openApiDocument(endpoints)))
  mountFile(app, '/docs', 'html', readFileSync(join(folder, 'index.html')))
  for (const [from, files] of [
    [folder, own],
    [swagger, packaged],
  ] as const) {
    for (const [file, type] of Object.entries(files)) {
      mountFile(app, `/docs/${file}`, type, readFileSync(join(from, file)))
    }
  }
}
