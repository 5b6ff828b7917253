/** @module The Grafana dashboard, and its statements as Grafana and its ClickHouse plugin (4.20) send them. */

import { readFileSync } from 'node:fs'
import { z } from 'zod'
import type { Database } from '../../queries/clickhouse/database.ts'
import { queryRows } from './database.ts'

const folder = new URL('../../clickhouse/grafana/', import.meta.url)

/** @param file of the provisioning folder. */
export const readProvisioned = (file: string) => readFileSync(new URL(file, folder), 'utf8')

const clickHouse = z.strictObject({
  type: z.literal('grafana-clickhouse-datasource'),
  uid: z.literal(`\${datasource}`),
})

/** A CHSqlQuery of the plugin; its formats are 0 of time series and 1 of tables. */
const target = z
  .strictObject({
    refId: z.string().regex(/^[A-Z]$/),
    datasource: clickHouse,
    pluginVersion: z.string().regex(/^\d+\.\d+\.\d+$/),
    editorType: z.literal('sql'),
    queryType: z.enum(['timeseries', 'table']),
    format: z.union([z.literal(0), z.literal(1)]),
    rawSql: z.string().min(1),
  })
  .refine(({ queryType, format }) => (queryType === 'timeseries') === (format === 0))

const panel = z.object({
  id: z.int().positive(),
  type: z.enum(['stat', 'table', 'timeseries']),
  title: z.string().min(1),
  datasource: clickHouse,
  gridPos: z.strictObject({ x: z.int().min(0), y: z.int().min(0), w: z.int().min(1), h: z.int().min(3) }),
  fieldConfig: z.object({ defaults: z.object({}), overrides: z.array(z.object({})) }),
  targets: z.tuple([target]),
})

const queryVariable = z.object({
  name: z.string(),
  type: z.literal('query'),
  datasource: clickHouse,
  query: z.string(),
  definition: z.string(),
})

/** The dashboard as Grafana needs it. Throws if a panel or variable is none of the plugin's. */
export const dashboard = z
  .object({
    uid: z.string().max(40),
    title: z.string(),
    schemaVersion: z.literal(39),
    templating: z.object({
      list: z.tuple(
        [z.object({ name: z.literal('datasource'), type: z.literal('datasource'), query: clickHouse.shape.type })],
        queryVariable,
      ),
    }),
    panels: z.array(panel).min(8),
  })
  .parse(JSON.parse(readProvisioned('dashboards/security-reports.json')))

interface GrafanaContext {
  readonly from: Date
  readonly to: Date
  readonly intervalSeconds: number
  /** Values of template variables; several of a list, `$__all` of the option All. */
  readonly variables: Readonly<Record<string, string | readonly string[]>>
}

/** Grafana's format `singlequote`. */
const singleQuote = (value: string | readonly string[]) =>
  [value]
    .flat()
    .map((item) => `'${item.replaceAll("'", "\\'")}'`)
    .join(',')

/** Throws if a macro, a variable or a format is none of those that are known here. */
function expandStatement(rawSql: string, { from, to, intervalSeconds, variables }: GrafanaContext): string {
  const read = (name: string) => {
    const value = variables[name]
    if (value === undefined) throw new Error(`There is no variable ${name}`)
    return value
  }
  const millisecond = (time: Date) => `fromUnixTimestamp64Milli(${time.getTime()})`
  const second = (time: Date) => `toDateTime(${Math.floor(time.getTime() / 1000)})`
  const statement = rawSql
    .replace(/\$__conditionalAll\((.+), \$(\w+)\)/g, (_, condition: string, name: string) =>
      read(name) === '$__all' ? '1=1' : condition,
    )
    .replace(/\$\{(\w+):singlequote\}/g, (_, name: string) => singleQuote(read(name)))
    .replace(/\$__timeFilter_ms\((\w+)\)/g, `$1 >= ${millisecond(from)} AND $1 <= ${millisecond(to)}`)
    .replace(/\$__timeInterval\((\w+)\)/g, `toStartOfInterval(toDateTime($1), INTERVAL ${intervalSeconds} second)`)
    .replace(/\$__fromTime\b(?!_)/g, second(from))
    .replace(/\$__toTime\b(?!_)/g, second(to))
  const unknown = /\$__\w+|\$\{?[a-z]\w*/.exec(statement)
  if (unknown) throw new Error(`${unknown[0]} is left in ${statement}`)
  return statement
}

type Selection = Partial<GrafanaContext['variables']>

/** Rows of the dashboard's statements, by the hour; of all sites of the tenant unless selected otherwise. */
export function openDashboard(analyst: Database, from: Date, to: Date, tenant: () => string) {
  const run = (rawSql: string, selection: Selection = {}) => {
    const variables = { tenant: tenant(), site: '$__all', ...selection } as GrafanaContext['variables']
    return queryRows(analyst, expandStatement(rawSql, { from, to, intervalSeconds: 3_600, variables }))
  }
  return {
    run,
    /** @param title of a panel. */
    rowsOf(title: string, selection?: Selection) {
      const found = dashboard.panels.find((panel) => panel.title === title)
      if (!found) throw new Error(`There is no panel ${title}`)
      return run(found.targets[0].rawSql, selection)
    },
  }
}
