import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Hono } from 'hono'
import { confidenceRule } from '../../schema/confidence-rule.ts'
import { rankingDimensions } from '../../schema/dimensions.ts'
import { keyPattern } from '../../schema/key-pattern.ts'
import { dimensionsOf } from '../../schema/report-filter.ts'
import { issueTypeNames, reportTypeNames, reportTypeRows } from '../../schema/report-types.ts'
import { type mediaTypes, mountFile } from '../http/static-files.ts'
import type { Endpoint } from '../pipeline/endpoint.ts'
import { querySchema } from '../pipeline/query-schema.ts'
import type { ApiEnv } from '../pipeline/request-context.ts'

const require = createRequire(import.meta.url)

const folder = fileURLToPath(new URL('../explorer/', import.meta.url))

/** What the page knows of the API, as a module. */
function schemaModule(endpoints: readonly Endpoint[]): string {
  const exported = {
    /** Report types with the dimensions that filter and group them. */
    reportTypes: Object.fromEntries(reportTypeNames.map((name) => [name, dimensionsOf(name)])),
    rankingDimensions,
    /** Of issue types: the field of a report that is the issue's subject, or the subject itself. */
    issueSubjects: Object.fromEntries(issueTypeNames.map((name) => [name, reportTypeRows[name].issue?.subject])),
    confidenceRule,
    keyPattern: keyPattern.source,
    /** Parameters of an operation, by its path. */
    parameters: Object.fromEntries(endpoints.map((one) => [one.path, Object.keys(querySchema(one))])),
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
  mountFile(app, '/explorer/served/schema.js', 'js', schemaModule(endpoints))
  mountPackages(app)
  mountFile(app, '/', 'html', index)
}

/** Modules of packages; those that import another do so by its path here, as a page has no packages. */
function mountPackages(app: Hono<ApiEnv>): void {
  const text = (name: string, file: string) => readFileSync(join(folderOf(name), file), 'utf8')
  const hooks = text('preact', 'hooks/dist/hooks.mjs').replaceAll('"preact"', '"./preact.js"')
  mountFile(app, '/explorer/served/preact.js', 'js', text('preact', 'dist/preact.mjs'))
  mountFile(app, '/explorer/served/preact-hooks.js', 'js', hooks)
  mountFile(app, '/explorer/served/htm.js', 'js', text('htm', 'htm.mjs'))
  // Half the bytes of uPlot's own module, which is not minified.
  mountFile(
    app,
    '/explorer/served/uplot.js',
    'js',
    `${text('uplot', 'dist/uPlot.iife.min.js')}\nexport default uPlot\n`,
  )
  mountFile(app, '/explorer/uplot.css', 'css', text('uplot', 'dist/uPlot.min.css'))
}

/** Of a package's files; htm exports its main module alone. */
const folderOf = (name: string) => dirname(require.resolve(name === 'htm' ? name : `${name}/package.json`))

const mountOwn = (app: Hono<ApiEnv>, file: string, type: keyof typeof mediaTypes) =>
  mountFile(app, `/explorer/${file}`, type, readFileSync(join(folder, file)))
