import { afterAll, beforeAll, expect, test } from 'vitest'
import { aReport } from '../../../fixtures/reports.ts'
import type { StoredReport } from '../../../schema/stored-report.ts'
import { oracleBrowserChanges } from '../../oracles/browser-change-oracle.ts'
import { type CapturedApi, capturedReports, capturedWindow, startCapturedApi } from '../../support/captured.ts'
import { readPages } from '../../support/read-pages.ts'

let captured: CapturedApi

beforeAll(async () => {
  captured = await startCapturedApi()
})

afterAll(() => captured?.api.close())

test('browser changes of real browsers agree with their payloads', async () => {
  const { api, key, siteId } = captured
  const rows = (['deprecation', 'intervention'] as const).flatMap((reportType) =>
    capturedReports(reportType).map(({ url, body, common }): StoredReport => {
      const { id: feature, lineNumber = 0, sourceFile = '' } = body
      const [script = ''] = sourceFile.split('?')
      // Chromium's text on embedded credentials has a URL with some, which are not stored.
      const message = body.message.replace('//user:pass@', '//')
      const told = { feature, message, lineNumber, sourceFile: script, documentUrl: url }
      return aReport({ ...common, ...told, siteId, reportType })
    }),
  )
  expect(rows.length).toBeGreaterThan(40)
  const { data, totals } = oracleBrowserChanges(rows, capturedWindow, {})
  const response = await readPages(api, key, '/v1/browser-changes', { limit: 10 })
  expect(response.rest).toEqual({ totals, truncated: false })
  // Several reports of one post can be the latest; which of them it is depends on their ids.
  const settled = (entry: object) => ({ ...entry, lineNumber: 0, message: '' })
  expect(response.data.map(settled)).toEqual(data.map(settled))
  for (const { feature, sourceFile, lineNumber, message, lastSeen } of response.data) {
    const latest = { feature, message, lineNumber: lineNumber ?? 0, sourceFile: sourceFile ?? '' }
    expect(rows).toContainEqual(expect.objectContaining({ ...latest, receivedAt: Date.parse(lastSeen) }))
  }
})
