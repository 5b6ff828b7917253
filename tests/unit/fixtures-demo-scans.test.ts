import { expect, test } from 'vitest'
import { readRecord } from '../../app/import/read-record.ts'
import { monitoredPages } from '../../app/import/record-types/monitored-pages.ts'
import { scans as scanType } from '../../app/import/record-types/scans.ts'
import { isRefusal } from '../../app/import/refusal.ts'
import { demoMonitoredPages } from '../../fixtures/demo-monitored-pages.ts'
import { demoScans } from '../../fixtures/demo-scans.ts'
import { demoTenant } from '../../fixtures/demo-tenants.ts'
import { corsVerdicts, fetchOutcomes, scanFailureReasons, scanGrades } from '../../schema/enumerations.ts'

const now = new Date('2026-07-15T03:59:00.000Z')
const pages = demoMonitoredPages(demoTenant)
const scans = demoScans({ pages, now })
const scripts = scans.flatMap((scan) => scan.scripts ?? [])
const kinds = (values: readonly (string | null | undefined)[]) => new Set(values.filter(Boolean))

test('the import takes every page and every scan', () => {
  const read = [
    ...pages.map((page) => readRecord(monitoredPages, JSON.stringify(page), undefined)),
    ...scans.map((scan) => readRecord(scanType, JSON.stringify(scan), undefined)),
  ]
  expect(read.filter(isRefusal)).toEqual([])
})

test('the same moment gives the same scans, all of them before it', () => {
  expect(demoScans({ pages, now })).toEqual(scans)
  expect(scans.every(({ scannedAt }) => scannedAt < now.toISOString())).toBe(true)
})

test('each page that is scanned has a scan on each of 62 days', () => {
  const scanned = pages.filter(({ scanUrl }) => scanUrl !== null)
  expect(scanned.length).toBeGreaterThan(3)
  for (const { id } of scanned) {
    const days = scans.filter(({ pageId }) => pageId === id).map(({ scannedAt }) => scannedAt.slice(0, 10))
    expect(days).toHaveLength(62)
    expect(new Set(days).size).toBe(62)
  }
})

test('there is every reason of a failure, most grades, two rubrics, every outcome and every verdict', () => {
  expect(kinds(scans.map(({ failureReason }) => failureReason))).toEqual(new Set(scanFailureReasons))
  const graded = kinds(scans.map(({ grade }) => grade))
  expect(scanGrades.filter((grade) => !graded.has(grade))).toEqual(['B'])
  expect(new Set(scans.map(({ rubricVersion }) => rubricVersion)).size).toBe(2)
  expect(kinds(scripts.map(({ outcome }) => outcome))).toEqual(new Set(fetchOutcomes))
  expect(kinds(scripts.map(({ cors }) => cors?.verdict))).toEqual(new Set(corsVerdicts))
})
