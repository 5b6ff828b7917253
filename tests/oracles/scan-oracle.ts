/** @module Scans as the API returns them, computed the plain way over what was imported: no SQL, no code of the API. */

import { equalForms, headerSpellings, type ScanRecord } from '../../fixtures/scans.ts'

const formOf = new Map(
  Object.entries(headerSpellings).flatMap(([header, values]) =>
    values.flatMap(([form, ...others]) => [form, ...others].map((text) => [`${header}: ${text}`, form] as const)),
  ),
)

const headerNames = [
  'content-security-policy',
  'content-security-policy-report-only',
  'strict-transport-security',
  'x-frame-options',
  'x-content-type-options',
  'referrer-policy',
  'permissions-policy',
] as const

const grades = ['A+', 'A', 'B', 'C', 'D', 'F']

function comparable(scan: ScanRecord): Record<string, string | null> | null {
  const { headers } = scan
  if (headers === null) return null
  return Object.fromEntries(
    headerNames.map((name) => [name, headers[name] === null ? null : (formOf.get(`${name}: ${headers[name]}`) ?? '?')]),
  )
}

const before = (a: ScanRecord, b: ScanRecord) =>
  a.scannedAt < b.scannedAt || (a.scannedAt === b.scannedAt && a.id < b.id)

function changes(scan: ScanRecord, earlier: readonly ScanRecord[]) {
  const last = earlier.filter(({ status }) => status === 'complete').at(-1)
  if (scan.status === 'failed' || !last) return { headers: [], gradeDroppedFrom: null, rebaselined: false }
  const [then, now] = [comparable(last), comparable(scan)]
  const headers = headerNames.flatMap((header) => {
    const [was, is] = [then?.[header] ?? null, now?.[header] ?? null]
    if (was === is || equalForms.some((forms) => forms.includes(was ?? '') && forms.includes(is ?? ''))) return []
    return [{ header, change: was === null ? 'added' : is === null ? 'removed' : 'changed', before: was, after: is }]
  })
  const rebaselined = scan.rubricVersion !== last.rubricVersion
  const lower = grades.indexOf(String(scan.grade)) > grades.indexOf(String(last.grade))
  return { headers, gradeDroppedFrom: lower && !rebaselined ? last.grade : null, rebaselined }
}

/** A page's scans as the list returns them, newest first. */
export function oracleScans(scans: readonly ScanRecord[], pageId: string) {
  const oldestFirst = scans.filter((scan) => scan.pageId === pageId).sort((a, b) => (before(a, b) ? -1 : 1))
  let failures = 0
  const response = oldestFirst.map((scan, index) => {
    failures = scan.status === 'failed' ? failures + 1 : 0
    const { result: _, scripts: __, ...listed } = scan
    const history = { consecutiveFailures: failures, changes: changes(scan, oldestFirst.slice(0, index)) }
    return { ...listed, ...history, headers: comparable(scan) }
  })
  return response.reverse()
}
