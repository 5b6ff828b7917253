import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Chapter, Endpoint } from '../../app/pipeline/endpoint.ts'
import { querySchema } from '../../app/pipeline/query-schema.ts'
import { operations } from '../support/contract.ts'

/**
 * What an operation charges, the window it reads, and the default and largest of its `limit`: written out here, not taken
 * from the code (Rules 14, 20 and 26).
 */
interface Limits {
  readonly charges: readonly string[]
  readonly window: object | string | undefined
  readonly limit: readonly [number | undefined, number]
}

const key = ['key']
const week = { defaultDays: 7, maxDays: 7 }
const weekOfMonth = { defaultDays: 7, maxDays: 31 }
const month = { defaultDays: 31, maxDays: 31 }

const usual: Limits = { charges: ['key', 'tenant'], window: month, limit: [50, 200] }

/** Chapters that differ from the usual. */
const ofChapter: { readonly [Name in Chapter]?: Partial<Limits> } = {
  me: { charges: key, window: undefined },
  sites: { window: undefined },
  reports: { window: weekOfMonth },
  issues: { window: weekOfMonth },
  scripts: { limit: [50, 1_000] },
  pages: { charges: key, window: undefined },
  scans: { charges: key, window: undefined },
  compliance: { window: 'retention' },
  'alert-deliveries': { charges: key, window: undefined },
}

/** Operations that differ from their chapter. */
const ofOperation: Readonly<Record<string, Partial<Limits>>> = {
  'reports.list': { window: week },
  'reports.export': { limit: [undefined, 1_000_000] },
  'reports.grouped': { limit: [20, 100] },
  'reports.values': { limit: [20, 100] },
  'issues.reports': { window: 'retention' },
  'issues.pages': { window: 'retention' },
  'csp-policies.advice': { limit: [50, 200] },
  'csp-policies.check': { limit: [50, 200] },
}

test('every exception is of an operation', () => {
  expect(operations.all.map(([name]) => name)).toEqual(expect.arrayContaining(Object.keys(ofOperation)))
})

/** A list that has a next page. */
const isPaged = ({ response }: Endpoint) => response instanceof z.ZodObject && 'nextCursor' in response.shape

test.each(operations.all)('%s charges, reads and returns within the limits of its chapter', (name, endpoint) => {
  const chapter = name.split('.')[0] as Chapter
  const { charges, window, limit } = { ...usual, ...ofChapter[chapter], ...ofOperation[name] }
  expect(endpoint.charges).toEqual(charges)
  expect(endpoint.window).toEqual(window)
  const parameter = querySchema(endpoint).limit
  expect(parameter !== undefined).toBe(isPaged(endpoint) || ofOperation[name]?.limit !== undefined)
  if (!parameter) return
  const taken = (requested?: number) => parameter.safeParse(requested?.toString()).data
  const [byDefault, largest] = limit
  expect([undefined, largest, largest + 1].map(taken)).toEqual([byDefault, largest, undefined])
})
