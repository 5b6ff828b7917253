import { readFileSync } from 'node:fs'
import pLimit from 'p-limit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { loadDemo } from '../../../app/demo/load-demo.ts'
import { migrate, pendingMigrations } from '../../../clickhouse/migrate.ts'
import { readMigrations } from '../../../clickhouse/migration-files.ts'
import { checkRollups } from '../../../clickhouse/rollups/check-rollups.ts'
import { hasBucket, listAggregates } from '../../../clickhouse/rollups/list-rollups.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { join, name, sql } from '../../../queries/sql/sql.ts'
import { evidenceInFormat } from '../../../schema/rules/pci/evidence-formats.ts'
import { evidenceHash } from '../../../schema/rules/pci/evidence-hash.ts'
import { createAlertWorld } from '../../support/alert-world.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { folderVersions, readContents, unpackFolder } from '../../support/data-folder.ts'
import { queryRows } from '../../support/database.ts'
import { startTestEngine, type TestEngine } from '../../support/engine.ts'
import { connectPatiently } from '../../support/patience.ts'
import { readPages } from '../../support/read-pages.ts'

describe.each(folderVersions())('the data folder of version %s, opened by this one', (version) => {
  const contents = readContents(version)
  const key = { id: '', key: contents.key }
  const dataDir = unpackFolder(version)
  let engine: TestEngine
  let writer: Database
  let api: TestApi

  beforeAll(async () => {
    engine = await startTestEngine({ dataDir })
    const { reader: readUrl, writer: writeUrl } = engine.userUrls
    writer = connectPatiently(writeUrl)
    await migrate(writer)
    api = await startApi({ readUrl, writeUrl, now: () => new Date(contents.now) })
  })

  afterAll(async () => {
    await Promise.all([api?.close(), writer?.close()])
    await engine?.end()
  })

  test('every migration is applied', async () => {
    expect(await pendingMigrations(writer, await readMigrations())).toEqual([])
  })

  test('a start loads no demo beside its tenants, although it has no demo.json', async () => {
    expect(await loadDemo(writer, dataDir)).toEqual([])
  })

  test('every row is there', async () => {
    const found: Record<string, number> = {}
    for (const table of Object.keys(contents.rows)) {
      // A fill of a table that outlives its reports adds rows of the same keys.
      const [[count] = []] = await queryRows(writer, `SELECT count() FROM ${table} SETTINGS final = 1`)
      found[table] = Number(count)
    }
    expect(found).toMatchObject(rowsToFind(contents.rows))
  })

  test('its reports count as stored when they were received', async () => {
    const places = 'SELECT count(), countIf(stored_at = received_at) FROM reports'
    const { reports } = contents.rows
    expect(await queryRows(writer, places)).toEqual([[reports, reports]])
  })

  test('records are in their histories as they were found, and a report of an earlier time has them', async () => {
    const inPlace = ['tenants', 'sites', 'monitored_pages', 'alert_rules']
    const stored = ['script_decisions', 'script_captures', 'page_scans']
    for (const table of [...inPlace, ...stored]) {
      const found = inPlace.includes(table) ? 'updated_at = toDateTime64(0, 3)' : 'updated_at > toDateTime64(0, 3)'
      const [records, versions] = await Promise.all([
        queryRows(writer, `SELECT count() FROM ${table} FINAL`),
        queryRows(writer, `SELECT count() FROM ${table}_history FINAL WHERE ${found}`),
      ])
      expect({ table, versions }).toEqual({ table, versions: records })
    }
    // So that a copy to a cluster, whose views append what is copied, has no version more.
    for (const [table, id, ofHistory] of [
      ['tenants', 'id', 'tenant_id'],
      ['sites', 'id', 'site_id'],
      ...[...inPlace.slice(2), ...stored].map((one) => [one, 'id', 'id']),
    ]) {
      const versions = `SELECT ${ofHistory}, updated_at FROM ${table}_history`
      expect(
        await queryRows(writer, `SELECT count() FROM ${table} WHERE (${id}, updated_at) NOT IN (${versions})`),
      ).toEqual([[0]])
    }
    const { data: sites } = (await api.get('/v1/sites', { key })).body
    const { evidence, limits } = (
      await api.get(`/v1/compliance/pci-dss/report?siteId=${sites[0].id}&asOf=${contents.now}`, { key })
    ).body.data
    const { body } = await api.get(`/v1/compliance/pci-dss?siteId=${sites[0].id}`, { key })
    expect(evidence.pages.map(({ id }: { id: string }) => id)).toEqual(
      body.data.evidence.pages.map(({ id }: { id: string }) => id),
    )
    expect(evidence.pages.length).toBeGreaterThan(0)
    expect(limits.join()).toContain('What was before is as it was found then')
  })

  test.runIf(version === '0.2.0')('the evidence of a PCI report of that version is verified', async () => {
    const { data: report } = JSON.parse(readFileSync('fixtures/pci-report-0.2.0.json', 'utf8'))
    const { site, asOf, format } = report.evidence
    const query = new URLSearchParams({ siteId: site.id, asOf })
    const { reader: readUrl, writer: writeUrl } = engine.userUrls
    // The report is of a later time than the responses.
    const later = await startApi({ readUrl, writeUrl })
    const { body } = await later.get(`/v1/compliance/pci-dss/report?${query}`, { key })
    await later.close()
    expect(evidenceInFormat(body.data.evidence, format)).toEqual(report.evidence)
    expect(evidenceHash(evidenceInFormat(body.data.evidence, format))).toBe(report.evidenceHash)
  })

  test('every rollup, of a later version too, counts the reports that were stored before', async () => {
    const { checked, ...check } = await checkRollups(writer)
    expect(check).toEqual({ different: 0, differences: [] })
    expect(checked).toBeGreaterThan(1_000)
  })

  test('every table that outlives its reports, of a later version too, has what they have', async () => {
    for (const { table, source, keys, over } of (await listAggregates(writer)).filter((one) => !hasBucket(one))) {
      const columns = join(keys.map(name), ', ')
      const statement = sql`
        SELECT count() AS missing
        FROM (${over(sql`SELECT * FROM ${name(source)}`)})
        WHERE (${columns}) NOT IN (SELECT ${columns} FROM ${name(table)})`
      const row = z.object({ missing: z.coerce.number() })
      expect(await writer.read({ name: 'countMissing', statement, row }), table).toEqual([{ missing: 0 }])
    }
  })

  test('responses have the numbers of the reports that were stored', async () => {
    const few = pLimit(8)
    const checks = Object.entries(contents.responses).map(([path, body]) =>
      few(async () => expect((await api.get(path, { key })).body, path).toMatchObject(body as object)),
    )
    await Promise.all(checks)
  })

  test('lists have the numbers of the reports that were stored', async () => {
    for (const [path, items] of Object.entries(contents.lists)) {
      const { pathname, searchParams } = new URL(path, 'http://api')
      const { data } = await readPages(api, key, pathname, Object.fromEntries(searchParams))
      expect(data, path).toMatchObject(items.map((item) => ({ ...item, ...laterId(item) })))
    }
  })

  test.runIf(version === '0.2.0')('a worker alerts no script of the scans that are there', async () => {
    const { reader: readUrl, writer: writeUrl } = engine.userUrls
    const world = await createAlertWorld({}, { readUrl, writeUrl, writer })
    const [[scanned] = []] = await queryRows(
      writer,
      `SELECT count() FROM page_scans FINAL WHERE scripts_listed AND scanned_at > toDateTime64('${contents.now.slice(0, 10)}', 3, 'UTC') - toIntervalDay(1)`,
    )
    expect(Number(scanned)).toBeGreaterThan(1)
    const [[tenantId] = []] = await queryRows(writer, 'SELECT tenant_id FROM page_scans WHERE scripts_listed LIMIT 1')
    const destination = await world.addDestination(String(tenantId), '/hook')
    await world.addRule(String(tenantId), 'script.changed', destination)
    const sent = await world.pass(Date.parse(contents.now))
    expect(sent.filter(({ message }) => message.type === 'script.changed')).toEqual([])
    await world.close()
  })
})

/** Rule 50: the query of a `report-uri` became no part of a policy, whose id is the hash of its comparable form. */
const laterIds: Readonly<Record<string, string>> = {
  '2d8780e8985bca2f2cf8eeca34e74f2a': '5dcbecbe94e1d7c645c9ef2b35afa469',
  '32b31a56e5a04b1834ca72ae3301031c': '249f641dd9ff65ed4628e44cfdcfe9fb',
}

const laterId = ({ id }: { readonly id?: unknown }) => {
  const later = laterIds[String(id)]
  return later === undefined ? {} : { id: later }
}

/** Rows of the version's migrations and types, which a later version adds to; of two days, which expire; and of rollups that it may fill anew. */
function rowsToFind(rows: Readonly<Record<string, number>>): Record<string, number> {
  const changing = /^(schema_migrations|report_types|import_log_by_time)$|_per_|^reports_by_time$/
  return Object.fromEntries(Object.entries(rows).filter(([table]) => !changing.test(table)))
}
