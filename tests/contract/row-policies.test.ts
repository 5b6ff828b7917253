import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { everywhere } from '../../clickhouse/cluster/on-cluster.ts'
import { clusterReads } from '../../queries/clickhouse/cluster-settings.ts'
import { openHttpTransport } from '../../queries/clickhouse/http-transport.ts'
import { nodeUrls } from '../../queries/clickhouse/nodes.ts'
import type { Query } from '../../queries/sql/query.ts'
import { render } from '../../queries/sql/sql.ts'
import { reportTypeNames } from '../../schema/report-types.ts'
import { type ContractApi, createWorlds, operations, startContractApi, type TestWorld } from '../support/contract.ts'
import { queryRows } from '../support/database.ts'
import { createMigratedDatabase } from '../support/migrated-database.ts'
import { runsAgain } from '../support/number-of-cases.ts'
import { patientMs } from '../support/patience.ts'
import { sqlText } from '../support/sql-text.ts'

/** The row policies of the reader: what a statement of the API returns without its tenant condition. */
let api: ContractApi
/** Beside it is a tenant whose rows look alike. */
let tenant: TestWorld
let reader: ReturnType<typeof openHttpTransport>
let writer: ReturnType<typeof openHttpTransport>

/** Queries of all operations, by their statement. */
const sent = new Map<string, Query<unknown>>()

/** Values that send queries which no example sends. */
const further = [
  { groupBy: 'directive,blockedHost' },
  { groupBy: 'blockedUrl' },
  { groupBy: 'directive', reportType: 'csp-violation', browserName: 'Chrome' },
  { page: 'https://shop.example.test/checkout/4' },
  { asOf: new Date().toISOString() },
  { total: 'true' },
  { series: 'true' },
  { order: 'stored', reportType: 'csp-violation', from: new Date(Date.now() - 86_400_000).toISOString() },
]

beforeAll(async () => {
  const [read, write] = [inject('servers').readUrl, inject('servers').writeUrl].map((url) => nodeUrls(url)[0] as string)
  reader = openHttpTransport(read as string)
  writer = openHttpTransport(write as string)
  api = await startContractApi({ onRead: (query) => sent.set(sqlText(query), query) })
  ;[tenant] = await createWorlds(api, [7, 7])
  for (const [, endpoint] of operations.all) {
    const types = reportTypeNames.filter((type) => endpoint.query.reportType?.safeParse(type).success)
    const examples = Object.entries(endpoint.query).flatMap(([name, field]) =>
      ((field.meta()?.examples ?? []) as unknown[]).map((example) => ({ [name]: String(example) })),
    )
    for (const query of [{}, ...types.map((reportType) => ({ reportType })), ...examples, ...further]) {
      if (!Object.keys(query).every((name) => name in endpoint.query)) continue
      await api.request(endpoint, { key: tenant.key, siteId: tenant.siteIds[0], query })
    }
  }
})
afterAll(() => Promise.all([api?.close(), reader?.close(), writer?.close()]))

async function rowsOf(user: typeof reader, { statement }: Query<unknown>, text: string, comment: object) {
  const settings = {
    ...(runsAgain && clusterReads),
    default_format: 'JSONCompact',
    log_comment: JSON.stringify(comment),
  }
  const body = await user.send({ ...render(statement), text }, settings, AbortSignal.timeout(patientMs))
  // The values of a row sorted: the order of an array depends on which shard responds first.
  const sorted = (row: unknown) =>
    JSON.stringify(row)
      .split(/[[\],]+/)
      .sort()
      .join()
  return JSON.parse(body).data.map(sorted).sort()
}

const withoutTenant = ['findMigrationTime']

test('a statement without its tenant condition has the rows of its own tenant, and none without a tenant', async () => {
  const foreign = new Set<string>()
  for (const [text, query] of sent) {
    const { name, everyTenant } = query
    if (everyTenant || withoutTenant.includes(name)) continue
    const cut = text.replaceAll(/tenant_id = \{p\d+:UUID\}/g, '1')
    expect(cut, name).not.toBe(text)
    const own = await rowsOf(reader, query, text, { tenantId: tenant.tenantId })
    expect(await rowsOf(reader, query, cut, { tenantId: tenant.tenantId }), name).toEqual(own)
    expect(await rowsOf(reader, query, cut, {}), name).toEqual(await rowsOf(reader, query, text, {}))
    if (JSON.stringify(await rowsOf(writer, query, cut, {})) !== JSON.stringify(own)) foreign.add(name)
  }
  // Others are narrowed by a site or an id too.
  expect(foreign.size).toBeGreaterThan(15)
})

/** Queries of requests with further values or rows: isolation.test.ts and group-queries.test.ts find their tenant in every SELECT. */
const ofFurtherRequests = `
  countOtherIssues exportReports findAnyDecision findPolicyKeys findStoredEnd findWatermark listCspEvidence
  listCspSourceDetails listCspSourceExamples listDestinationOutcomes listFirstSightings listScannedWeeks
  rankHashes`

/** Queries of commands, the worker and the collector, which read as the writer, and of metrics. */
const notOfRequests = `
  countCaptureFetches countNewValues countOwnedRows countReportsWhere countSilentSites countStoredRows
  countUrlModes findImportBatch findKeyById findLease findNextPagePosition findOldestWaiting
  findRetiredToken findScanVersion findSiteToken findSitesState findStoredIds listAlertedSubjects
  listAttempts listBursts listBusyPages listCaptureAttempts listCapturedHashes listCollectorSites
  listDecisions listDeletions listDestinations listEarlierTags listEnabledRules listFailingScans
  listFirstDays listFirstVersions listFloods listImmutableFields listImportBatches listImportBoots
  listIssueFloods listIssueTexts listKeys listLargest listLibraryChecks listLostParts listLostPartsOfTenant
  listNewIssues listNewPolicySites listNewSightings listNewestReports listNewestSites listOwnedTables
  listPageLabels listPageSites listPagesToScan listPartIds listPendingAlerts listPendingCaptures listPlans
  listPresentSites listPreservedColumn listQuietSites listQuotedPolicies listRecentAlerts listRecentScans listRecoveredScans
  listReleaseFiles listRetiredTokens listScriptHosts listStoredIds listStoredValues
  listTenants listUncapturedVersions listUnfinishedImports listWholeRules listWitnesses`

if (!runsAgain) {
  test('every query is known', () => {
    const files = readdirSync('queries', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
    const pattern = /'((?:count|estimate|export|find|group(?!By)|histogram|list|rank)[A-Z]\w+)'/g
    const names = files.flatMap((file) =>
      [...readFileSync(`queries/${file}`, 'utf8').matchAll(pattern)].map(([, name]) => name),
    )
    const known = `${ofFurtherRequests} ${notOfRequests}`.match(/\w+/g)?.sort()
    const ofApi = [...sent.values()].map(({ name }) => name)
    expect([...new Set(names)].filter((name) => !ofApi.includes(name as string)).sort()).toEqual(known)
    const ofEveryTenant = new Set([...sent.values()].flatMap(({ name, everyTenant }) => (everyTenant ? [name] : [])))
    expect([...ofEveryTenant]).toEqual(['findKey'])
  })

  test('users.xml limits the reader in every table with a tenant', async () => {
    const database = await createMigratedDatabase()
    const statement = `
      SELECT c.table
      FROM system.columns AS c
      INNER JOIN system.tables AS t ON t.database = c.database AND t.name = c.table
      WHERE c.database = currentDatabase() AND c.name = 'tenant_id' AND t.engine LIKE '%MergeTree'
      ORDER BY c.table`
    const tables = (await queryRows(database.writer, statement)).map(([table]) => String(table))
    const policies = await queryRows(
      database.writer,
      "SELECT database, table FROM system.row_policies WHERE has(apply_to_list, 'reader') ORDER BY table",
    )
    await database.drop()
    const limited = (name: string) => policies.flatMap(([database, table]) => (database === name ? [table] : []))
    expect(limited('default')).toEqual(tables)
    expect(limited('reports')).toEqual(tables.filter((table) => everywhere.includes(table)))
    expect(limited('reports_shard')).toEqual(tables.filter((table) => !everywhere.includes(table)))
  })
}
