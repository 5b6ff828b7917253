import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Hono } from 'hono'
import { confidenceRule } from '../../schema/confidence-rule.ts'
import { rankingDimensions } from '../../schema/dimensions.ts'
import { keyPattern } from '../../schema/key-pattern.ts'
import { dimensionsOf } from '../../schema/report-filter.ts'
import { reportTypeNames } from '../../schema/report-types.ts'
import { type mediaTypes, mountFile } from '../http/static-files.ts'
import type { Endpoint } from '../pipeline/endpoint.ts'
import type { ApiEnv } from '../pipeline/request-context.ts'

const require = createRequire(import.meta.url)

const folder = fileURLToPath(new URL('../explorer/', import.meta.url))

/** What the page knows of the API, as a module. */
function schemaModule(endpoints: readonly Endpoint[]): string {
  const exported = {
    /** Report types with the dimensions that filter and group them. */
    reportTypes: Object.fromEntries(reportTypeNames.map((name) => [name, dimensionsOf(name)])),
    rankingDimensions,
    confidenceRule,
    keyPattern: keyPattern.source,
    /** Days that an operation reads at most, by its path. */
    windowDays: Object.fromEntries(
      endpoints.flatMap(({ path, window }) => (typeof window === 'object' ? [[path, window.maxDays]] : [])),
    ),
  }
  return Object.entries(exported)
    .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)}\n`)
    .join('')
}

const index = `<!doctype html>
<html lang="en">
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <title>Security Reporting API</title>
  <link rel="icon" href="data:,">
  <h1>Security Reporting API</h1>
  <ul>
    <li><a href="/explorer">Explorer</a>, with charts and tables of reports</li>
    <li><a href="/docs">Reference</a> of the operations, to read and try</li>
    <li><a href="/openapi.json">OpenAPI document</a></li>
  </ul>
</html>
`

/** Serves `/explorer`, a page over the API for people, and the files of its folder. */
export function mountExplorer(app: Hono<ApiEnv>, endpoints: readonly Endpoint[]): void {
  mountFile(app, '/explorer', 'html', readFileSync(join(folder, 'index.html')))
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const type = extname(file).slice(1)
    if (type === 'js' || type === 'css') mountOwn(app, file, type)
  }
  mountFile(app, '/explorer/schema.js', 'js', schemaModule(endpoints))
  const chart = join(require.resolve('uplot/package.json'), '../dist')
  mountFile(app, '/explorer/uplot.js', 'js', readFileSync(join(chart, 'uPlot.esm.js')))
  mountFile(app, '/explorer/uplot.css', 'css', readFileSync(join(chart, 'uPlot.min.css')))
  mountFile(app, '/', 'html', index)
}

const mountOwn = (app: Hono<ApiEnv>, file: string, type: keyof typeof mediaTypes) =>
  mountFile(app, `/explorer/${file}`, type, readFileSync(join(folder, file)))
