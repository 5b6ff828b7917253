import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { passwordPath, readPassword } from '../../../clickhouse/engine/passwords.ts'
import {
  createPolicy,
  createQuota,
  createUser,
  dropUser,
  grantRole,
  rowPolicies,
  userName,
} from '../../../clickhouse/sql-users.ts'
import { sendStatement } from '../../support/engine.ts'
import { attacks } from '../../support/sql-attacks.ts'
import { type SqlUserEngine, startSqlUserEngine } from '../../support/sql-user-engine.ts'

const own = '22222222-2222-4222-8222-222222222222'
/** Sorted before and after the own rows. */
const others = ['11111111-1111-4111-8111-111111111111', '33333333-3333-4333-8333-333333333333']
/** Numbers of rows that no statement of the user may print: of one other tenant, and of all. */
const [ownRows, otherRows, allRows] = [31, 7919, 31 + 2 * 7919]

let engine: SqlUserEngine

beforeAll(async () => {
  engine = await startSqlUserEngine(userName(own, 'grafana'))
  for (const [index, id] of [own, ...others].entries()) {
    const [rows, name, host] = id === own ? [ownRows, 'Own', 'own'] : [otherRows, 'Foreign', 'foreign']
    const site = id.replace(/^./, 'f')
    await engine.write.command({
      query: `INSERT INTO tenants (id, name, plan) VALUES ('${id}', '${name}', 'business')`,
    })
    await engine.write.command({
      query: `INSERT INTO sites (id, tenant_id, name, hosts, token) VALUES ('${site}', '${id}', '${name}', ['${host}.example'], 'Foreign token')`,
    })
    await engine.write.command({
      query: `
        INSERT INTO reports (tenant_id, site_id, report_type, received_at, id, retention_days, weight, document_url, issue_key, issue_subject)
        SELECT '${id}', '${site}', 'csp-violation', toStartOfHour(now()) - number % 3600,
          toUUID(concat('aaaaaaaa-aaaa-4aaa-8aa${index}-', leftPad(toString(number), 12, 'a'))), 90, 1000000,
          'https://${host}.example/', 1, '${host}'
        FROM numbers(${rows})`,
    })
  }
  for (const table of ['tenants', 'sites', 'reports'])
    await engine.write.command({ query: `OPTIMIZE TABLE ${table} FINAL` })
})

afterAll(() => engine?.end())

const numbers = new RegExp(`\\b(?:${otherRows}|${2 * otherRows}|${allRows}|${allRows - 1})\\b`)

/** Ids, names, hosts and tokens of other tenants, and their numbers of rows. */
const foreign = (text: string) =>
  [...others, 'Foreign', 'foreign.example'].filter((value) => text.includes(value)).concat(text.match(numbers) ?? [])

async function expectNothingForeign(statement: string, search: Readonly<Record<string, string>> = {}) {
  const { status, text } = await engine.send(statement, search)
  expect({ statement, search, foreign: foreign(text.replaceAll(statement, '')) }).toEqual({
    statement,
    search,
    foreign: [],
  })
  return { status, text }
}

const views = ['reports_named', 'reports_per_hour_named', 'issues_per_day_named']
const tables = ['reports', 'reports_by_time', 'reports_per_day_by_issue', 'sites', 'tenants']
const tenantOf = (source: string) => (source === 'tenants' ? 'id' : 'tenant_id')

/** Statements that would print rows of other tenants, or their number, without row policies. */
const reads: readonly ((source: string, tenant: string) => string)[] = [
  (source, tenant) => `SELECT ${tenant}, count() FROM ${source} GROUP BY ${tenant}`,
  (source) => `SELECT count() FROM ${source}`,
  (source) => `SELECT count(1), 1 FROM ${source} HAVING 1`,
  (source, tenant) => `SELECT uniqExact(${tenant}), min(${tenant}), max(${tenant}) FROM ${source}`,
  (source, tenant) => `SELECT ${tenant} FROM ${source} ORDER BY ${tenant} LIMIT 1`,
  (source, tenant) => `SELECT ${tenant} FROM ${source} ORDER BY ${tenant} DESC LIMIT 1`,
  (source, tenant) => `SELECT ${tenant} FROM ${source} WHERE ${tenant} != '${own}'`,
  (source, tenant) => `SELECT count() > 0 ? 'Foreign' : '' FROM ${source} WHERE ${tenant} = '${others[0]}'`,
  (source, tenant) => `SELECT throwIf(${tenant} != '${own}', 'Foreign') FROM ${source}`,
  (source, tenant) => `SELECT 1 FROM ${source} WHERE throwIf(toString(${tenant}) LIKE '3%', 'Foreign')`,
  (source, tenant) => `SELECT count() FROM ${source} WHERE 1 / (toString(${tenant})[1] = '2') > 1`,
  (source, tenant) => `SELECT toUInt8(toString(${tenant})) FROM ${source}`,
  (source, tenant) => `SELECT DISTINCT ${tenant} FROM ${source} WHERE 1 OR ${tenant} = '${others[0]}'`,
  (source, tenant) => `SELECT ${tenant}, count() FROM ${source} GROUP BY ${tenant} WITH TOTALS`,
  (source, tenant) => `SELECT ${tenant}, count() FROM ${source} GROUP BY CUBE(${tenant})`,
  (source, tenant) => `SELECT groupUniqArray(toString(${tenant})) FROM (SELECT * FROM ${source})`,
  (source, tenant) => `WITH x AS (SELECT ${tenant} AS t FROM ${source}) SELECT DISTINCT t FROM x`,
  (source, tenant) => `SELECT '${others[0]}' IN (SELECT ${tenant} FROM ${source}) ? 'Foreign' : ''`,
  (source, tenant) => `SELECT (SELECT max(${tenant}) FROM ${source})`,
  (source, tenant) => `SELECT s.${tenant} FROM ${source} AS s RIGHT JOIN (SELECT 1 AS one) AS o ON 1 = o.one LIMIT 40`,
  (source, tenant) => `SELECT DISTINCT t.id FROM tenants AS t INNER JOIN ${source} AS s ON t.id = s.${tenant}`,
  (source, tenant) => `SELECT ${tenant} FROM ${source} UNION DISTINCT SELECT ${tenant} FROM ${source}`,
  (source, tenant) => `SELECT ${tenant} FROM ${source} EXCEPT SELECT toUUID('${own}')`,
  (source, tenant) => `SELECT DISTINCT ${tenant}, count() OVER () FROM ${source}`,
  (source, tenant) => `SELECT ${tenant} FROM ${source} LIMIT 1 BY ${tenant}`,
  (source) => `SELECT count() FROM view(SELECT * FROM ${source})`,
  (source) => `SELECT count() FROM merge('default', '^${source}$')`,
  (source) => `SELECT count() FROM viewIfPermitted(SELECT 1 AS a FROM ${source} ELSE null('a UInt8'))`,
  (source) => `EXPLAIN ESTIMATE SELECT * FROM ${source}`,
  (source) => `EXPLAIN indexes = 1, actions = 1 SELECT count() FROM ${source}`,
  (source) => `EXPLAIN json = 1, indexes = 1 SELECT count() FROM ${source}`,
  (source, tenant) => `EXPLAIN indexes = 1 SELECT count() FROM ${source} WHERE ${tenant} > '${own}'`,
  (source) => `EXPLAIN PIPELINE SELECT count() FROM ${source}`,
  (source) => `EXPLAIN QUERY TREE SELECT count() FROM ${source}`,
  (source) => `SELECT count() FROM ${source} SETTINGS max_rows_to_read = 1`,
  (source) => `SELECT count() FROM ${source} SETTINGS max_bytes_to_read = 1`,
  (source) => `SELECT count() FROM ${source} SETTINGS max_memory_usage = 1`,
]

const readsOfTables: readonly ((table: string, tenant: string) => string)[] = [
  (table, tenant) => `SELECT ${tenant} FROM ${table} FINAL ORDER BY ${tenant}`,
  (table, tenant) => `SELECT 1 FROM ${table} FINAL WHERE throwIf(toString(${tenant}) LIKE '3%', 'Foreign')`,
  (table, tenant) => `SELECT ${tenant} FROM ${table} PREWHERE ${tenant} != '${own}'`,
  (table, tenant) => `SELECT 1 FROM ${table} PREWHERE throwIf(toString(${tenant}) LIKE '1%', 'Foreign')`,
]

const sources = [...views, ...tables]
const statements = [
  ...sources.flatMap((source) => reads.map((read) => read(source, tenantOf(source)))),
  ...tables.flatMap((table) => readsOfTables.map((read) => read(table, tenantOf(table)))),
]

describe('a SQL user', () => {
  test('reads its tenant with names', async () => {
    const { text } = await engine.send('SELECT tenant_name, site_name, count() FROM reports_named GROUP BY ALL')
    expect(text).toBe(`Own\tOwn\t${ownRows}\n`)
    const sums = 'SELECT sum(report_count) FROM'
    for (const view of views.slice(1)) expect((await engine.send(`${sums} ${view}`)).text).toBe(`${ownRows}\n`)
    expect((await engine.send('SELECT name, hosts FROM sites FINAL')).text).toBe("Own\t['own.example']\n")
    expect((await engine.send('SHOW TABLES')).text.trim().split('\n').sort()).toEqual([...views].sort())
  })

  test(`reads nothing of another tenant with ${statements.length} statements`, async () => {
    const done = []
    for (const statement of statements) done.push((await expectNothingForeign(statement)).status)
    expect(done.filter((status) => status === 200).length).toBeGreaterThan(190)
    // Without policies the same statements print rows and numbers of others.
    const printed = []
    for (const statement of statements.filter((text) => / (reports|tenants)\b/.test(text))) {
      printed.push((await sendStatement(engine, 'analyst', statement)).text)
    }
    expect(printed.filter((text) => foreign(text).length > 0).length).toBeGreaterThan(30)
  })

  /** Settings that change how rows are read, filtered, counted or explained. */
  const settings: Readonly<Record<string, string>>[] = [
    ...['enable_analyzer', 'optimize_move_to_prewhere', 'query_plan_enable_optimizations', 'use_skip_indexes'],
    ...[
      'optimize_use_projections',
      'optimize_use_implicit_projections',
      'optimize_trivial_count_query',
      'use_query_condition_cache',
    ],
    ...[
      'enable_multiple_prewhere_read_steps',
      'apply_row_policy_after_final',
      'query_plan_optimize_lazy_materialization',
    ],
    ...[
      'allow_push_predicate_when_subquery_contains_with',
      'compile_expressions',
      'short_circuit_function_evaluation_for_nulls',
    ],
    ...[
      'query_plan_merge_filters',
      'query_plan_filter_push_down',
      'optimize_read_in_order',
      'optimize_aggregation_in_order',
    ],
  ].map((name) => ({ [name]: '0' }))
  settings.push(
    ...[
      ...[
        'final',
        'force_primary_key',
        'use_query_cache',
        'move_all_conditions_to_prewhere',
        'extremes',
        'analyzer_inline_views',
      ],
      ...[
        'optimize_move_to_prewhere_if_final',
        'join_use_nulls',
        'use_uncompressed_cache',
        'prefer_global_in_and_join',
      ],
      ...[
        'allow_introspection_functions',
        'allow_experimental_parallel_reading_from_replicas',
        'optimize_functions_to_subcolumns',
      ],
      ...['optimize_injective_functions_inside_uniq', 'optimize_group_by_function_keys', 'transform_null_in'],
    ].map((name) => ({ [name]: '1' })),
    { log_comment: `{"tenantId":"${others[0]}","everyTenant":true}` },
    { additional_table_filters: `{'reports': '1', 'tenants': '1'}` },
    { additional_result_filter: '1' },
    { role: 'tenant_sql' },
    { default_role: 'none' },
    { quota_key: others[0] as string },
    { profile: 'writer' },
    { session_id: 'a' },
    { database: 'system' },
    { param_user: others[0] as string },
    { max_execution_time: '120' },
  )

  test(`reads nothing of another tenant with any of ${settings.length} settings`, async () => {
    expect(settings.length).toBeGreaterThanOrEqual(45)
    const of = (select: (source: string, tenant: string) => string) =>
      sources.map((source) => select(`default.${source}`, tenantOf(source))).join(' UNION ALL ')
    const all = [
      of((source, tenant) => `SELECT ${tenant} AS t, count() FROM ${source} GROUP BY t`),
      of((source) => `SELECT count() FROM ${source}`),
      of((source, tenant) => `SELECT 1 FROM ${source} WHERE throwIf(${tenant} != '${own}', 'Foreign')`),
    ]
    for (const setting of settings) for (const statement of all) await expectNothingForeign(statement, setting)
  })

  test.each(attacks)('may not %s', async (_, attack) => {
    const path = passwordPath(engine.dataDir, 'writer')
    const { status, text } = await engine.send(attack({ table: 'reports', path, url: engine.url }))
    expect(status).toBeGreaterThanOrEqual(400)
    expect(text).not.toContain(readPassword(engine.dataDir, 'writer'))
    expect(foreign(text)).toEqual([])
  })

  test('reads neither a token nor a virtual column, whose numbers count rows of others', async () => {
    const denied = [
      ...['SELECT token FROM sites', 'SELECT * FROM sites', 'SELECT count() FROM api_keys', 'SELECT * FROM import_log'],
      ...['_part', '_part_offset', '_partition_id', '_block_number', '_table'].map(
        (name) => `SELECT ${name} FROM reports`,
      ),
      ...[
        'DESCRIBE TABLE reports',
        'SELECT * FROM mergeTreeAnalyzeIndexes(default, reports)',
        'SHOW CREATE TABLE reports',
      ],
    ]
    for (const statement of denied)
      expect({ statement, ...(await engine.send(statement)) }).toMatchObject({ code: '497' })
  })

  /** The same on every server, or of the user alone. */
  const constantTables =
    'aggregate_function_combinators collations columns completions contributors current_roles data_type_families database_engines databases dictionary_layouts disk_types enabled_roles formats functions licenses one privileges quota_usage settings table_engines table_functions tables time_zones'

  test('system tables have nothing of other tenants and no size of a table', async () => {
    const { text } = await sendStatement(engine, 'writer', "SELECT name FROM system.tables WHERE database = 'system'")
    const readable = []
    for (const table of text.trim().split('\n')) {
      if ((await expectNothingForeign(`SELECT * FROM system.${table} LIMIT 100000`)).status === 200)
        readable.push(table)
    }
    expect(readable.sort()).toEqual(constantTables.split(' '))
    const sizes = 'SELECT name, total_rows, total_bytes FROM system.tables'
    expect((await engine.send(`${sizes} ORDER BY name`)).text).toBe(
      [...views]
        .sort()
        .map((view) => `${view}\t\\N\t\\N\n`)
        .join(''),
    )
    expect((await engine.send('SELECT sum(data_compressed_bytes) FROM system.columns')).text).toBe('0\n')
  })

  test.each([
    { readonly: '0' },
    { max_execution_time: '121' },
    { max_memory_usage: '2000000001' },
    { priority: '0' },
    { priority: '1' },
    { low_priority_query_wait_time_ms: '0' },
    { max_threads: '5' },
    { max_concurrent_queries_for_user: '0' },
    { send_logs_level: 'trace' },
    { send_profile_events: '1' },
  ])('cannot set %o', async (search) => {
    expect((await engine.send('SELECT 1', search as unknown as Record<string, string>)).code).toMatch(/^(452|164)$/)
  })
})

test('users.xml grants the role exactly the tables with a row policy, and their columns except tokens', async () => {
  const users = readFileSync('clickhouse/server/users.xml', 'utf8')
  const [role = ''] = /<roles>.*<\/roles>/s.exec(users) ?? []
  const granted = [...role.matchAll(/GRANT SELECT(?:\((.*)\))? ON (\w+)\.(\w+)</g)]
  const ofTable = new Map(granted.map(([, columns, database, table]) => [`${database}.${table}`, columns?.split(', ')]))
  const { text } = await sendStatement(
    engine,
    'writer',
    "SELECT table, groupArray(name) FROM system.columns WHERE database = currentDatabase() AND name != 'token' GROUP BY table FORMAT JSONCompactColumns",
  )
  const [names, columns] = JSON.parse(text) as [string[], string[][]]
  const limited = rowPolicies
    .filter(({ database }) => database !== 'system')
    .map(({ database, table }) => `${database}.${table}`)
  for (const table of limited.filter((name) => name.startsWith('default.'))) {
    expect(ofTable.get(table)?.toSorted()).toEqual(columns[names.indexOf(table.slice(8))]?.toSorted())
  }
  for (const table of ofTable.keys()) {
    const [database = '', name = ''] = table.split('.')
    if (name.endsWith('_named')) expect(ofTable.get(table)).toBeUndefined()
    else if (database === 'reports')
      expect(ofTable.get(table)?.toSorted()).toEqual(ofTable.get(`default.${name}`)?.toSorted())
    else expect(limited).toContain(table)
  }
  expect(limited.filter((table) => !ofTable.has(table))).toEqual([])
})

test('ClickHouse runs each statement for SQL users up to its access storage, which the embedded engine lacks', async () => {
  const search = { param_user: userName(own, 'other'), param_hash: 'ab'.repeat(32) }
  for (const statement of [...rowPolicies.map(createPolicy), createQuota, createUser]) {
    expect({ statement, ...(await sendStatement(engine, 'writer', statement, search)) }).toMatchObject({ code: '514' })
  }
  const user = userName(own, 'grafana')
  expect((await sendStatement(engine, 'writer', grantRole(user))).text).toContain(`Cannot update user \`${user}\``)
  expect(await sendStatement(engine, 'writer', dropUser(search.param_user))).toMatchObject({ status: 200 })
  expect((await sendStatement(engine, 'writer', 'CREATE USER other IDENTIFIED WITH no_password')).code).toBe('497')
})

test('policies are printed as they are compared', async () => {
  const { text } = await sendStatement(
    engine,
    'writer',
    `SELECT database, table, select_filter FROM system.row_policies WHERE startsWith(short_name, 'sql_') FORMAT JSONCompact`,
  )
  const stored = (JSON.parse(text).data as string[][]).map((row) => row.join(' ')).sort()
  expect(stored).toEqual(rowPolicies.map(({ database, table, filter }) => [database, table, filter].join(' ')).sort())
})
