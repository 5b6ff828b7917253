import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Hono } from 'hono'
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

/** Parameters and longest window, in days, by the operation's path. */
const operationsOf = (endpoints: readonly Endpoint[]) =>
  Object.fromEntries(
    endpoints.map((endpoint) => {
      const { path, window } = endpoint
      const parameters = Object.keys(querySchema(endpoint))
      return [path, { parameters, ...(typeof window === 'object' && { maxDays: window.maxDays }) }]
    }),
  )

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
export function mountExplorer(app: Hono<ApiEnv>, endpoints: readonly Endpoint[], collectorUrl = ''): void {
  const page = ownText('index.html')
    .replace('{}', () => JSON.stringify(operationsOf(endpoints)))
    .replace("data-collector=''", `data-collector='${collectorUrl}'`)
  mountFile(app, '/explorer', 'html', page)
  mountFiles(app, '/explorer/:file{[\\w-]+\\.js}', 'js', explorerModules)
  const uplot = textIn(require.resolve('uplot/package.json'))
  const styles = [uplot('dist/uPlot.min.css'), ...orderedSheets.map(ownText)].join('\n')
  mountFile(app, '/explorer/served/styles.css', 'css', styles)
  mountFile(app, '/', 'html', index)
}

const textIn = (path: string) => (file: string) => readFileSync(join(dirname(path), file), 'utf8')

const ownText = (file: string) => readFileSync(join(folder, file), 'utf8')
