import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Hono } from 'hono'
import { confidenceRule } from '../../schema/confidence-rule.ts'
import { rankingDimensions } from '../../schema/dimensions.ts'
import { keyPattern } from '../../schema/key-pattern.ts'
import { filterable } from '../../schema/params.ts'
import { dimensionsOf } from '../../schema/report-filter.ts'
import { issueTypeNames, reportTypeNames, reportTypeRows } from '../../schema/report-types.ts'
import { mountFile } from '../http/static-files.ts'
import type { Endpoint } from '../pipeline/endpoint.ts'
import { querySchema } from '../pipeline/query-schema.ts'
import type { ApiEnv } from '../pipeline/request-context.ts'

const require = createRequire(import.meta.url)

const folder = fileURLToPath(new URL('../explorer/', import.meta.url))

const sheets = readdirSync(folder).filter((file) => extname(file) === '.css')

/** Their rules come before those of all other sheets, or after them. */
const [first, last] = [['tokens.css'], ['frame-narrow.css', 'paper.css']]
const between = sheets.filter((file) => ![...first, ...last].includes(file)).sort()
const orderedSheets = [...first, ...between, ...last]

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
    <li><a href="/docs">Reference</a> of the operations, to read and try</li>
    <li><a href="/openapi.json">OpenAPI document</a></li>
  </ul>
</html>
`

/** Serves `/explorer`, a page over the API for people, and the files of its folder. */
export function mountExplorer(app: Hono<ApiEnv>, endpoints: readonly Endpoint[]): void {
  mountFile(app, '/explorer', 'html', readFileSync(join(folder, 'index.html')))
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (extname(file) === '.js') mountFile(app, `/explorer/${file}`, 'js', withoutComments(ownText(file)))
  }
  mountFile(app, '/explorer/served/schema.js', 'js', schemaModule(endpoints))
  mountPackages(app)
  mountFile(app, '/', 'html', index)
}

/** Modules of packages. A browser resolves no package names, so imports among them are paths. */
function mountPackages(app: Hono<ApiEnv>): void {
  const preact = textIn(require.resolve('preact/package.json'))
  const uplot = textIn(require.resolve('uplot/package.json'))
  // htm exports its modules alone, not its package.json.
  const htm = textIn(require.resolve('htm'))
  const modules = {
    preact: preact('dist/preact.mjs'),
    'preact-hooks': preact('hooks/dist/hooks.mjs').replaceAll('"preact"', '"./preact.js"'),
    htm: htm('htm.mjs'),
    // Half the bytes of uPlot's own module, which is not minified.
    uplot: `${uplot('dist/uPlot.iife.min.js')}\nexport default uPlot\n`,
  }
  for (const [name, text] of Object.entries(modules)) mountFile(app, `/explorer/served/${name}.js`, 'js', text)
  const styles = [uplot('dist/uPlot.min.css'), ...orderedSheets.map(ownText)].join('\n')
  mountFile(app, '/explorer/served/styles.css', 'css', styles)
}

const textIn = (path: string) => (file: string) => readFileSync(join(dirname(path), file), 'utf8')

const ownText = (file: string) => readFileSync(join(folder, file), 'utf8')

/** Comments with lines of their own: a fifth of what a browser would load. */
const withoutComments = (text: string) => text.replace(/^[ \t]*(\/\*\*(?:(?!\*\/)[\s\S])*\*\/|\/\/.*)\n/gm, '')
