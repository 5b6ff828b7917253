import { expect, test } from 'vitest'
import { listScanEvidence } from '../../queries/scans/scan-evidence.ts'
import { findScanRef, listLatestScanRefs, listScanRefs } from '../../queries/scans/scan-refs.ts'
import { findScanDetails, listScans } from '../../queries/scans/scans.ts'
import type { Query } from '../../queries/sql/query.ts'
import { render } from '../../queries/sql/sql.ts'
import { sqlText } from '../support/sql-text.ts'

const tenant = '11111111-1111-4111-8111-111111111111'
const page = '22222222-2222-4222-8222-222222222222'
const scan = '33333333-3333-4333-8333-333333333333'
const ref = { pageId: page, id: scan, scannedAt: '2026-01-31T12:00:00.000Z' }

const light: Query<unknown>[] = [
  listScanRefs(tenant, page, { after: { scannedAt: 5, id: scan }, limit: 51 }),
  findScanRef(tenant, page, scan),
  listLatestScanRefs(tenant, [page], 'complete'),
  listScanEvidence(tenant, [page], new Date(5)),
]
const [scansOfRefs] = listScans(tenant, [ref])
const text = (query: Query<unknown> | undefined) => (query ? sqlText(query) : '')

test('every scan query is scoped to tenant and page, and reads deduplicated rows', () => {
  const queries = [...light, ...listScans(tenant, [ref]), findScanDetails(tenant, ref, true)]
  for (const query of queries) {
    expect(text(query).match(/FROM page_scans/g)).toHaveLength(1)
    expect(text(query)).toMatch(/FROM page_scans FINAL WHERE tenant_id = \{p\d+:UUID\} AND page_id (= \{|IN \{)p\d+:/)
  }
})

test('a page’s scan history reads narrow columns alone', () => {
  for (const query of light) expect(text(query)).not.toMatch(/\b(headers|result|scripts)\b/)
})

test('only a scan’s details read its result, and its scripts only on request', () => {
  expect(text(scansOfRefs)).not.toMatch(/\b(result|scripts)\b/)
  expect(text(findScanDetails(tenant, ref, true))).toMatch(/^SELECT result, scripts FROM/)
  expect(text(findScanDetails(tenant, ref, false))).toMatch(/^SELECT result, '' AS scripts FROM/)
})

test('many scans are read in several queries', () => {
  const refs = Array.from({ length: 1_001 }, () => ref)
  expect(listScans(tenant, refs)).toHaveLength(3)
  expect(listScans(tenant, [])).toEqual([])
})

test('a list of scans after a position is one statement with bound values', () => {
  const query = listScanRefs(tenant, page, { after: { scannedAt: 5, id: scan }, limit: 51 })
  expect({ text: sqlText(query), params: render(query.statement).params }).toEqual({
    text: "SELECT pageId, id, scannedAt, if(complete, 0, ordinal - compared.1) AS consecutiveFailures, if(complete, compared.3, '') AS comparedId, compared.2 AS comparedAt FROM (SELECT *, maxIf((ordinal, scannedAt, id, headers_key, grade), complete) OVER (PARTITION BY pageId ORDER BY ordinal ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS compared FROM (SELECT page_id AS pageId, toString(page_scans.id) AS id, scanned_at AS scannedAt, status = 'complete' AS complete, headers_key, grade, row_number() OVER (PARTITION BY page_id ORDER BY scanned_at, toString(page_scans.id)) AS ordinal FROM page_scans FINAL WHERE tenant_id = {p0:UUID} AND page_id = {p1:UUID})) WHERE (scannedAt, id) < ({p2:DateTime64(3, 'UTC')}, {p3:String}) ORDER BY scannedAt DESC, id DESC LIMIT {p4:UInt64}",
    params: { p0: tenant, p1: page, p2: '1970-01-01 00:00:00.005', p3: scan, p4: '51' },
  })
})
