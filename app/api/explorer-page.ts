import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Hono } from 'hono'
import { confidenceRule } from '../../schema/confidence-rule.ts'
import { rankingDimensions } from '../../schema/dimensions.ts'
import { keyPattern } from '../../schema/key-pattern.ts'
import { filterable } from '../../schema/params.ts'
import { dimensionsOf, issueTypeNames, reportTypeNames, reportTypeRows } from '../../schema/report-types.ts'
import { mountFile, mountFiles } from '../http/static-files.ts'
import type { Endpoint } from '../pipeline/endpoint.ts'
import { querySchema } from '../pipeline/query-schema.ts'
import type { ApiEnv } from '../pipeline/request-context.ts'
import { explorerModules } from './explorer-modules.ts'

const require = createRequire(import.meta.url)

const folder = fileURLToPath(new URL('../explorer/', import.meta.url))

const sheets = readdirSync(folder).filter((file) => extname(file) === '.css')

/** Sheets whose rules come before or after all others. */
const [first, last] = [['tokens.css'], ['frame-narrow.css', 'paper.css']]
const between = sheets.filter((file) => ![...first, ...last].includes(file)).sort()
const orderedSheets = [...first, ...between, ...last]

/** Module with the parts of the API's schema that the page needs. */
function schemaModule(endpoints: readonly Endpoint[]): string {
  const exported = {
    /** Report types with the dimensions that filter and group them. */
    reportTypes: Object.fromEntries(reportTypeNames.map((name) => [name, dimensionsOf(name)])),
    rankingDimensions,
    /** Report field that is the subject of an issue type, or the fixed subject. */
    issueSubjects: Object.fromEntries(issueTypeNames.map((name) => [name, reportTypeRows[name].issue?.subject])),
    confidenceRule,
    keyPattern: keyPattern.source,
    filterablePattern: filterable.source,
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
    <li><a href="/docs">Reference</a> of the operations, with examples to try</li>
    <li><a href="/openapi.json">OpenAPI document</a></li>
  </ul>
</html>
`

/** Serves `/explorer`, a page over the API, and the files of its folder. */
export function mountExplorer(app: Hono<ApiEnv>, endpoints: readonly Endpoint[]): void {
  mountFile(app, '/explorer', 'html', readFileSync(join(folder, 'index.html')))
  mountFiles(app, '/explorer/:file{[\\w-]+\\.js}', 'js', explorerModules)
  mountFile(app, '/explorer/served/schema.js', 'js', schemaModule(endpoints))
  const uplot = textIn(require.resolve('uplot/package.json'))
  const styles = [uplot('dist/uPlot.min.css'), ...orderedSheets.map(ownText)].join('\n')
  mountFile(app, '/explorer/served/styles.css', 'css', styles)
  mountFile(app, '/', 'html', index)
}

const textIn = (path: string) => (file: string) => readFileSync(join(dirname(path), file), 'utf8')

const ownText = (file: string) => readFileSync(join(folder, file), 'utf8')
