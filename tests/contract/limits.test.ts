import { expect, test } from 'vitest'
import { querySchema } from '../../app/pipeline/query-schema.ts'
import { operations } from '../support/contract.ts'

const key = ['key']
const keyAndTenant = ['key', 'tenant']
const week = { defaultDays: 7, maxDays: 7 }
const weekOfMonth = { defaultDays: 7, maxDays: 31 }
const month = { defaultDays: 31, maxDays: 31 }

/**
 * What an operation spends, the window it reads, and the default and largest of its `limit`, as the contract words them
 * (convention 8, Endpoint list, Limits; decisions, Lists): written out here, not taken from the code.
 */
const stated: Readonly<
  Record<
    string,
    readonly [spends: readonly string[], window?: object | string | undefined, limit?: readonly [number, number]]
  >
> = {
  me: [key],
  'sites.list': [keyAndTenant, undefined, [50, 200]],
  'reports.list': [keyAndTenant, week, [50, 200]],
  'reports.export': [keyAndTenant, weekOfMonth],
  'reports.count': [keyAndTenant, weekOfMonth],
  'reports.histogram': [keyAndTenant, weekOfMonth],
  'reports.grouped': [keyAndTenant, weekOfMonth, [20, 100]],
  'reports.types': [keyAndTenant, weekOfMonth],
  'issues.list': [keyAndTenant, weekOfMonth, [50, 200]],
  'issues.site': [keyAndTenant, weekOfMonth, [50, 200]],
  'issues.reports': [keyAndTenant, 'retention', [50, 200]],
  'crashes.list': [keyAndTenant, month, [50, 200]],
  'browser-changes.list': [keyAndTenant, month, [50, 200]],
  'network-errors.list': [keyAndTenant, month, [50, 200]],
  'csp-policies.list': [keyAndTenant, month, [50, 200]],
  'scripts.list': [keyAndTenant, month, [50, 1_000]],
  'scripts.get': [keyAndTenant, month],
  'pages.list': [key, undefined, [50, 200]],
  'scans.list': [key, undefined, [50, 200]],
  'scans.get': [key],
  'compliance.pci-dss': [keyAndTenant, 'retention'],
  'alert-deliveries.list': [key, undefined, [50, 200]],
}

test('every operation has its limits here', () => {
  expect(operations.all.map(([name]) => name).sort()).toEqual(Object.keys(stated).sort())
})

test.each(operations.all)('%s charges, reads and returns within these limits', (name, endpoint) => {
  const [spends, window, limits] = stated[name] ?? []
  expect(endpoint.charges).toEqual(spends)
  expect(endpoint.window).toEqual(window)
  const { limit } = querySchema(endpoint)
  const taken = (requested?: number) => limit?.safeParse(requested?.toString()).data
  const [byDefault, largest = 0] = limits ?? []
  expect(taken()).toBe(byDefault)
  expect([largest, largest + 1].map(taken)).toEqual([limits && largest, undefined])
})
