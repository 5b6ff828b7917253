import { expect, test } from 'vitest'
import { endpoints } from '../../../../app/endpoints/all.ts'
import { querySchema } from '../../../../app/pipeline/query-schema.ts'
import { isAddition } from '../../../../schema/additions.ts'

const window = ['from', 'to']
const page = ['limit', 'cursor']
const filters = [
  ...['siteId', 'reportType', 'directive', 'blockedHost', 'disposition', 'documentHost', 'browserName', 'osName'],
  ...['deviceType', 'feature', 'blockedUrl', 'blockedOrigin', 'destination', 'effectivePolicy', 'otherOrigin'],
  'sourceFile',
]

/** Query parameters of the contract's operations: written out here, not taken from the code. */
const ofContract: Readonly<Record<string, readonly string[]>> = {
  me: [],
  'reports.list': [...filters, ...window, ...page],
  'reports.count': [...filters, ...window],
  'reports.histogram': [...filters, 'bucketSize', ...window],
  'reports.grouped': [...filters, 'groupBy', 'limit', ...window],
  'reports.types': ['siteId', ...window],
  'issues.list': ['siteId', 'reportType', ...window, ...page],
  'issues.site': ['reportType', ...window, ...page],
  'issues.reports': ['reportType', ...page],
  'crashes.list': ['siteId', 'reason', ...window, ...page],
  'browser-changes.list': ['siteId', 'reportType', ...window, ...page],
  'network-errors.list': ['siteId', 'phase', 'errorType', 'origin', ...window, ...page],
  'csp-policies.list': ['pageId', ...window, ...page],
  'scripts.list': ['pageScope', 'status', 'identification', 'advisories', ...window, ...page],
  'scripts.get': window,
  'pages.list': page,
  'scans.list': page,
  'scans.get': [],
  'compliance.pci-dss': ['siteId'],
  'alert-deliveries.list': ['siteId', 'destinationId', 'eventType', ...page],
}

const operations = endpoints
  .filter(({ name }) => name in ofContract)
  .map((endpoint) => [endpoint.name, endpoint] as const)

test('the operations of the contract are found', () => {
  expect(operations.map(([name]) => name).sort()).toEqual(Object.keys(ofContract).sort())
})

test.each(operations)('%s marks every parameter that the contract lacks, and no other', (name, endpoint) => {
  const unmarked = Object.entries(querySchema(endpoint)).filter(([, field]) => !isAddition(field))
  expect(unmarked.map(([parameter]) => parameter).sort()).toEqual([...(ofContract[name] ?? [])].sort())
})

test.each(operations)('%s has no default of an addition, so that a value shows its presence', (_, endpoint) => {
  for (const [parameter, field] of Object.entries(querySchema(endpoint))) {
    if (isAddition(field)) expect([parameter, field.safeParse(undefined)]).toEqual([parameter, { success: true }])
  }
})
